#include "core/uuid.hpp"

#include "core/hex.hpp"

#include <array>

namespace turnout {

namespace {

constexpr size_t text_length = 36;

/// The two digits of every byte.
constexpr auto hex_pairs = [] {
  constexpr char hex[] = "0123456789abcdef";
  std::array<char, 512> result{};
  for (size_t i = 0; i < 256; ++i) {
    result[2 * i] = hex[i >> 4];
    result[2 * i + 1] = hex[i & 0xf];
  }
  return result;
}();

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
  char text[text_length];
  auto* pos = text;
  for (auto half : {hi, lo})
    for (auto shift = 56; shift >= 0; shift -= 8) {
      const auto* digits = &hex_pairs[2 * ((half >> shift) & 0xff)];
      *pos++ = digits[0];
      *pos++ = digits[1];
      if (is_dash_position(static_cast<size_t>(pos - text)))
        *pos++ = '-';
    }
  out.append(text, text_length);
}

} // namespace turnout
