#include "core/uuid.hpp"

#include "core/hex.hpp"

#include <endian.h>

#include <cstring>

namespace turnout {

namespace {

constexpr size_t text_length = 36;

/// Writes the digits of four bytes, all at once.
void write_digits(char* out, uint32_t x) noexcept {
  // Each half byte in a byte of its own, the first one lowest.
  uint64_t digits = __builtin_bswap32(x);
  digits = (digits | digits << 16) & 0x0000'ffff'0000'ffff;
  digits = (digits | digits << 8) & 0x00ff'00ff'00ff'00ff;
  digits = (digits >> 4 & 0x000f'000f'000f'000f)
           | (digits << 8 & 0x0f00'0f00'0f00'0f00);
  constexpr uint64_t each = 0x0101'0101'0101'0101;
  const auto is_letter = (digits + 6 * each) >> 4 & each;
  digits += '0' * each + is_letter * ('a' - '9' - 1);
  digits = htole64(digits);
  std::memcpy(out, &digits, sizeof(digits));
}

constexpr bool is_dash_position(size_t pos) noexcept {
  return pos == 8 || pos == 13 || pos == 18 || pos == 23;
}

} // namespace

std::optional<uuid> uuid::parse(std::string_view text) noexcept {
  if (text.size() != text_length)
    return std::nullopt;
  uuid result;
  size_t digits = 0;
  for (size_t pos = 0; pos < text_length; ++pos) {
    if (is_dash_position(pos)) {
      if (text[pos] != '-')
        return std::nullopt;
      continue;
    }
    auto value = hex_value(text[pos]);
    if (value < 0)
      return std::nullopt;
    auto& half = digits < 16 ? result.hi : result.lo;
    half = (half << 4) | static_cast<uint64_t>(value);
    ++digits;
  }
  return result;
}

std::string uuid::str() const {
  std::string result;
  append_to(result);
  return result;
}

void uuid::append_to(std::string& out) const {
  char digits[32];
  write_digits(digits, static_cast<uint32_t>(hi >> 32));
  write_digits(digits + 8, static_cast<uint32_t>(hi));
  write_digits(digits + 16, static_cast<uint32_t>(lo >> 32));
  write_digits(digits + 24, static_cast<uint32_t>(lo));
  char text[text_length];
  std::memcpy(text, digits, 8);
  std::memcpy(text + 9, digits + 8, 4);
  std::memcpy(text + 14, digits + 12, 4);
  std::memcpy(text + 19, digits + 16, 4);
  std::memcpy(text + 24, digits + 20, 12);
  text[8] = text[13] = text[18] = text[23] = '-';
  out.append(text, text_length);
}

} // namespace turnout
