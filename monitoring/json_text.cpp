#include "monitoring/json_text.hpp"

#include "core/utf8.hpp"

#include <cstdint>

namespace turnout {

namespace {

void append_control(std::string& out, char c) {
  constexpr char digits[] = "0123456789abcdef";
  auto value = static_cast<uint8_t>(c);
  out += "\\u00";
  out += digits[value >> 4];
  out += digits[value & 0x0F];
}

} // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    auto n = first_char(text).size;
    auto c = text.front();
    if (n == 0) {
      out += "\xEF\xBF\xBD";
      n = 1;
    } else if (n > 1) {
      out += text.substr(0, n);
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<uint8_t>(c) < 0x20 || c == 0x7F) {
      append_control(out, c);
    } else {
      out += c;
    }
    text.remove_prefix(n);
  }
  out += '"';
}

} // namespace turnout
