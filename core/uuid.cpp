#include "core/uuid.hpp"

#include "core/hex.hpp"

namespace turnout {

namespace {

constexpr size_t text_length = 36;

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
  constexpr char hex[] = "0123456789abcdef";
  std::string result(text_length, '-');
  size_t digits = 0;
  for (size_t pos = 0; pos < text_length; ++pos) {
    if (is_dash_position(pos))
      continue;
    auto half = digits < 16 ? hi : lo;
    result[pos] = hex[(half >> (60 - 4 * (digits % 16))) & 0xf];
    ++digits;
  }
  return result;
}

} // namespace turnout
