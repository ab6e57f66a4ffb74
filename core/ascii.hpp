#pragma once

#include <algorithm>
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

} // namespace turnout
