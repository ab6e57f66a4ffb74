#pragma once

#include <cstddef>
#include <string_view>

namespace turnout {

/// One character at the front of a text.
struct utf8_char {
  char32_t code = 0;
  /// Bytes it takes; 0 when the text does not begin with a valid character.
  size_t size = 0;
};

/// Decodes the first character of `text`, strictly: no overlong forms, no
/// surrogates, nothing above U+10FFFF.
utf8_char first_char(std::string_view text) noexcept;

/// Returns whether `code` is a control character: C0, DEL or C1.
constexpr bool is_control(char32_t code) noexcept {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/// Returns whether `code` has the Unicode property White_Space.
bool is_white_space(char32_t code) noexcept;

} // namespace turnout
