#include "core/utf8.hpp"

#include <cstdint>

namespace turnout {

utf8_char first_char(std::string_view text) noexcept {
  if (text.empty())
    return {};
  auto byte = [text](size_t i) { return static_cast<uint8_t>(text[i]); };
  auto lead = byte(0);
  if (lead < 0x80)
    return {lead, 1};
  size_t size = 0;
  char32_t code = 0;
  char32_t least = 0;
  if ((lead & 0xe0) == 0xc0) {
    size = 2;
    code = lead & 0x1f;
    least = 0x80;
  } else if ((lead & 0xf0) == 0xe0) {
    size = 3;
    code = lead & 0x0f;
    least = 0x800;
  } else if ((lead & 0xf8) == 0xf0) {
    size = 4;
    code = lead & 0x07;
    least = 0x10000;
  } else {
    return {};
  }
  if (text.size() < size)
    return {};
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80)
      return {};
    code = (code << 6) | (byte(i) & 0x3f);
  }
  if (code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    return {};
  return {code, size};
}

bool is_white_space(char32_t code) noexcept {
  switch (code) {
    case 0x20:
    case 0x85:
    case 0xa0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202f:
    case 0x205f:
    case 0x3000:
      return true;
    default:
      return (code >= 0x09 && code <= 0x0d)
             || (code >= 0x2000 && code <= 0x200a);
  }
}

} // namespace turnout
