#include "http/percent.hpp"

#include "core/hex.hpp"

namespace turnout {

std::optional<std::string> percent_decode(std::string_view text,
                                          bool plus_is_space) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      result += ' ';
    } else if (text[i] == '%') {
      if (i + 2 >= text.size())
        return std::nullopt;
      const auto high = hex_value(text[i + 1]);
      const auto low = hex_value(text[i + 2]);
      if (high < 0 || low < 0)
        return std::nullopt;
      result += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

} // namespace turnout
