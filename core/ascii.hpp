#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace turnout {

// Case of ASCII letters only, whatever the locale: names of headers, schemes,
// hosts and the like. Other bytes stand for themselves.

/// Returns the lower-case form of an upper-case letter, other bytes as they
/// are.
constexpr char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// Returns a copy in lower case.
inline std::string lowered(std::string_view x) {
  std::string result{x};
  for (auto& c : result)
    c = to_lower(c);
  return result;
}

/// Returns whether two texts are the same but for case.
inline bool equals_folded(std::string_view x, std::string_view y) noexcept {
  return x.size() == y.size()
         && std::equal(x.begin(), x.end(), y.begin(), [](char a, char b) {
              return to_lower(a) == to_lower(b);
            });
}

/// Returns whether `text` begins with `start`, whatever the case.
inline bool starts_with_folded(std::string_view text,
                               std::string_view start) noexcept {
  return equals_folded(text.substr(0, start.size()), start);
}

/// Returns whether `part` is somewhere in `text`, whatever the case.
inline bool contains_folded(std::string_view text,
                            std::string_view part) noexcept {
  return part.empty()
         || std::search(
              text.begin(), text.end(), part.begin(), part.end(),
              [](char a, char b) { return to_lower(a) == to_lower(b); })
              != text.end();
}

/// Returns whether `x` has nothing but printable ASCII: neither control
/// characters nor bytes beyond ASCII. Eight bytes a step, as visits ask this of
/// most of what they bring.
inline bool is_printable(std::string_view x) noexcept {
  constexpr uint64_t in_each_byte = 0x0101'0101'0101'0101;
  const auto* pos = x.data();
  const auto* end = pos + x.size();
  uint64_t found = 0;
  for (; end - pos >= 8; pos += 8) {
    uint64_t word;
    std::memcpy(&word, pos, sizeof(word));
    // Each sets the top bit of the first byte it is about: what is beyond
    // ASCII, below a space, or DEL.
    found |= word | (word - 0x20 * in_each_byte) | (word + in_each_byte);
  }
  if ((found & (0x80 * in_each_byte)) != 0)
    return false;
  return std::all_of(pos, end, [](char c) { return c >= 0x20 && c < 0x7f; });
}

} // namespace turnout
