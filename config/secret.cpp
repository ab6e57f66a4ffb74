#include "config/secret.hpp"

#include "core/ascii.hpp"

#include <algorithm>

namespace turnout::config {

namespace {

constexpr std::string_view mask = "***";

/// Masks from the colon behind the user's name to the last @, so that a
/// password with characters that ought to be escaped is not shown in part.
std::string mask_user_info(std::string_view dsn) {
  auto scheme = dsn.find("://");
  auto at = dsn.rfind('@');
  if (scheme == std::string_view::npos || at == std::string_view::npos)
    return std::string{dsn};
  auto colon = dsn.find(':', scheme + 3);
  if (colon == std::string_view::npos || colon > at)
    return std::string{dsn};
  std::string result{dsn.substr(0, colon + 1)};
  return result.append(mask).append(dsn.substr(at));
}

bool is_space(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Returns the end of the value that starts at `i`: quoted ones with
/// backslashes, others up to white space (in an address up to &).
size_t end_of_value(const std::string& text, size_t i, bool is_address) {
  auto quote = i < text.size() && text[i] == '\'';
  if (quote)
    ++i;
  for (; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (quote && text[i] == '\'')
      return i + 1;
    else if (!quote && (is_space(text[i]) || (is_address && text[i] == '&')))
      return i;
  }
  return text.size();
}

} // namespace

std::string mask_secret(std::string_view dsn) {
  auto result = mask_user_info(dsn);
  auto is_address = dsn.find("://") != std::string_view::npos;
  auto lower = lowered(result);
  constexpr std::string_view word = "password";
  for (size_t i = 0; (i = lower.find(word, i)) != std::string::npos;) {
    i += word.size();
    auto skip = [&] {
      while (i < lower.size() && is_space(lower[i]))
        ++i;
    };
    skip();
    if (i == lower.size() || lower[i] != '=')
      continue;
    ++i;
    skip();
    auto n = end_of_value(result, i, is_address) - i;
    result.replace(i, n, mask);
    lower.replace(i, n, mask);
  }
  return result;
}

} // namespace turnout::config
