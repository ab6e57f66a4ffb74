#include "plugins/sqlite/packed_bytes.hpp"

#include <bit>
#include <cstring>

namespace turnout::sqlite {

// The format is that of the machines Debian builds Turnout for.
static_assert(std::endian::native == std::endian::little);

void append_number(uint64_t x, std::string& to) {
  for (; x >= 0x80; x >>= 7)
    to += static_cast<char>(x | 0x80);
  to += static_cast<char>(x);
}

void append_fixed(uint64_t x, std::string& to) {
  char bytes[sizeof(x)];
  std::memcpy(bytes, &x, sizeof(x));
  to.append(bytes, sizeof(x));
}

void append_text(std::string_view x, std::string& to) {
  append_number(x.size(), to);
  to += x;
}

uint8_t byte_reader::byte() noexcept {
  if (x_rest.empty()) {
    x_is_damaged = true;
    return 0;
  }
  const auto result = static_cast<uint8_t>(x_rest.front());
  x_rest.remove_prefix(1);
  return result;
}

uint64_t byte_reader::number() noexcept {
  uint64_t result = 0;
  for (auto shift = 0; shift < 64 && !is_end(); shift += 7) {
    const auto group = byte();
    result |= uint64_t{group & 0x7fu} << shift;
    if (group < 0x80)
      return result;
  }
  x_is_damaged = true;
  return 0;
}

uint64_t byte_reader::fixed() noexcept {
  uint64_t result = 0;
  if (x_rest.size() < sizeof(result)) {
    x_is_damaged = true;
    return 0;
  }
  std::memcpy(&result, x_rest.data(), sizeof(result));
  x_rest.remove_prefix(sizeof(result));
  return result;
}

std::string_view byte_reader::text() noexcept {
  const auto size = number();
  if (size > x_rest.size()) {
    x_is_damaged = true;
    return {};
  }
  const auto result = x_rest.substr(0, size);
  x_rest.remove_prefix(size);
  return result;
}

} // namespace turnout::sqlite
