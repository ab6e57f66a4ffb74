#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace turnout::postgresql {

/// An array as PostgreSQL reads it from text, such as `{1,2}` or `{"a","b"}`.
/// https://www.postgresql.org/docs/15/arrays.html#ARRAYS-INPUT
class array_text {
public:
  array_text() : x_text("{") {
    // nop
  }

  template <class Integer>
  void add(Integer x) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof(digits), x).ptr;
    separate();
    x_text.append(digits, end);
  }

  void add(std::string_view x) {
    separate();
    x_text += '"';
    for (auto c : x) {
      if (c == '"' || c == '\\')
        x_text += '\\';
      x_text += c;
    }
    x_text += '"';
  }

  void add(const std::string& x) {
    add(std::string_view{x});
  }

  /// Ends the array; nothing can be added afterwards.
  const std::string& text() {
    if (x_text.back() != '}')
      x_text += '}';
    return x_text;
  }

private:
  void separate() {
    if (x_text.size() > 1)
      x_text += ',';
  }

  std::string x_text;
};

} // namespace turnout::postgresql
