#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

/// Ends the process, so that the fuzzer keeps the input, unless `x` holds.
#define HOLDS(x)                                                               \
  do {                                                                         \
    if (!(x)) {                                                                \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__,   \
                   #x);                                                        \
      std::abort();                                                            \
    }                                                                          \
  } while (false)

namespace turnout::fuzz {

/// Takes the text up to the next line end off `rest`, for inputs with several
/// parts.
inline std::string_view take_line(std::string_view& rest) noexcept {
  const auto end = rest.find('\n');
  const auto result = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return result;
}

/// Takes the first byte off `rest`; 0 when there is none.
inline uint8_t take_byte(std::string_view& rest) noexcept {
  if (rest.empty())
    return 0;
  const auto result = static_cast<uint8_t>(rest.front());
  rest.remove_prefix(1);
  return result;
}

} // namespace turnout::fuzz

/// What the fuzzer calls.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
