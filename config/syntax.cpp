#include "config/syntax.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace turnout::config {

namespace {

bool is_alnum(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9');
}

bool is_address(int family, const std::string& text) noexcept {
  unsigned char out[16];
  // inet_pton would stop at a NUL.
  return text.find('\0') == std::string::npos
         && inet_pton(family, text.c_str(), out) == 1;
}

std::optional<uint16_t> parse_port(std::string_view text) noexcept {
  uint16_t result = 0;
  auto end = text.data() + text.size();
  auto [last, err] = std::from_chars(text.data(), end, result);
  if (text.empty() || err != std::errc{} || last != end)
    return std::nullopt;
  return result;
}

/// What stands behind "http://" or "https://"; empty for another scheme.
std::string_view behind_scheme(std::string_view text) noexcept {
  for (std::string_view scheme : {"http://", "https://"})
    if (text.substr(0, scheme.size()) == scheme)
      return text.substr(scheme.size());
  return {};
}

/// host, host:port or [IPv6]:port
bool is_authority(std::string_view text) {
  auto host = text;
  std::string_view port;
  if (text.substr(0, 1) == "[") {
    auto end = text.find(']');
    if (end == std::string_view::npos
        || !is_address(AF_INET6, std::string{text.substr(1, end - 1)}))
      return false;
    port = text.substr(end + 1);
  } else {
    host = text.substr(0, text.find(':'));
    port = text.substr(host.size());
    auto fits = [](char c) { return is_alnum(c) || c == '-' || c == '.'; };
    if (host.empty() || !std::all_of(host.begin(), host.end(), fits))
      return false;
  }
  return port.empty() || (port.front() == ':' && parse_port(port.substr(1)));
}

} // namespace

std::optional<endpoint> parse_endpoint(std::string_view text) {
  auto colon = text.rfind(':');
  if (colon == std::string_view::npos)
    return std::nullopt;
  auto port = parse_port(text.substr(colon + 1));
  if (!port)
    return std::nullopt;
  std::string host{text.substr(0, colon)};
  if (host == "localhost")
    return endpoint{"127.0.0.1", *port};
  if (is_address(AF_INET, host))
    return endpoint{host, *port};
  if (host.size() < 2 || host.front() != '[' || host.back() != ']')
    return std::nullopt;
  host = host.substr(1, host.size() - 2);
  if (!is_address(AF_INET6, host))
    return std::nullopt;
  return endpoint{host, *port};
}

bool is_base_address(std::string_view text) noexcept {
  auto rest = behind_scheme(text);
  auto slash = rest.find('/');
  auto fits = [](char c) {
    return c > ' ' && c < 0x7F
           && std::string_view{"?#\"<>\\^`{|}@"}.find(c)
                == std::string_view::npos;
  };
  return !rest.empty() && rest.back() != '/'
         && std::all_of(rest.begin(), rest.end(), fits)
         && is_authority(rest.substr(0, slash));
}

bool is_base_url(std::string_view text) noexcept {
  constexpr std::string_view suffix = "/api/v1";
  return text.empty()
         || (is_base_address(text) && text.size() > suffix.size()
             && text.substr(text.size() - suffix.size()) == suffix);
}

bool is_short_base(std::string_view text) noexcept {
  return text.empty() || is_base_address(text);
}

bool is_cors_origin(std::string_view text) noexcept {
  return text == "*"
         || (is_base_address(text)
             && behind_scheme(text).find('/') == std::string_view::npos);
}

bool is_web_address(std::string_view text) noexcept {
  auto rest = behind_scheme(text);
  return text.empty()
         || (std::all_of(rest.begin(), rest.end(),
                         [](char c) { return c > ' ' && c < 0x7F; })
             && is_authority(rest.substr(0, rest.find_first_of("/?#"))));
}

bool is_header_name(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_alnum(c)
           || std::string_view{"!#$%&'*+-.^_`|~"}.find(c)
                != std::string_view::npos;
  });
}

bool is_query_name(std::string_view text) noexcept {
  return text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '~';
         });
}

bool is_plugin_name(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 64
         && std::all_of(text.begin(), text.end(), [](char c) {
              return is_alnum(c) || c == '-' || c == '_';
            });
}

} // namespace turnout::config
