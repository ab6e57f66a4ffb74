#include "http/session_cookie.hpp"

#include "core/ascii.hpp"

#include <algorithm>
#include <chrono>

namespace turnout {

namespace {

/// What the front end sends with each request.
constexpr std::string_view own_page = "turnout";

/// Returns the value of the first cookie of a name in a Cookie header.
std::string_view find_cookie(std::string_view header,
                             std::string_view name) noexcept {
  while (!header.empty()) {
    const auto end = header.find(';');
    auto item = header.substr(0, end);
    header = end == std::string_view::npos ? "" : header.substr(end + 1);
    item.remove_prefix(std::min(item.find_first_not_of(" \t"), item.size()));
    if (!item.starts_with(name) || item.size() == name.size()
        || item[name.size()] != '=')
      continue;
    item.remove_prefix(name.size() + 1);
    while (item.ends_with(' ') || item.ends_with('\t'))
      item.remove_suffix(1);
    return item;
  }
  return {};
}

std::string set_cookie(const site& where, std::string_view value,
                       std::chrono::seconds lifetime) {
  std::string result{where.session_cookie_name};
  result += '=';
  result += value;
  result += "; Max-Age=";
  result += std::to_string(lifetime.count());
  result += "; Path=/; HttpOnly; SameSite=Strict";
  if (where.is_secure)
    result += "; Secure";
  return result;
}

} // namespace

std::string_view session_cookie(const site& where, const request& in) noexcept {
  if (in.requested_with != own_page || in.api_keys > 0 || in.authorizations > 0)
    return {};
  return find_cookie(in.cookies, where.session_cookie_name);
}

std::string_view session_token(const request& in) noexcept {
  constexpr std::string_view scheme = "bearer ";
  auto text = in.authorization;
  if (in.authorizations != 1 || !starts_with_folded(text, scheme))
    return {};
  text.remove_prefix(scheme.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

std::string begin_session_cookie(const site& where, const begun_session& x) {
  return set_cookie(where, x.text, x.lifetime);
}

std::string end_session_cookie(const site& where) {
  return set_cookie(where, "", std::chrono::seconds{0});
}

} // namespace turnout
