#include "core/ascii.hpp"
#include "core/privacy.hpp"
#include "core/rules.hpp"

#include <algorithm>
#include <cctype>

namespace turnout {

namespace {

constexpr size_t max_length = 2048;

bool is_alnum(char c) noexcept {
  return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'z');
}

/// The parts of "host:port".
struct authority {
  std::string_view host;
  std::string_view port;
  bool has_port = false;
  bool has_userinfo = false;
  bool is_bracketed = false;
};

/// Splits the authority; the host is empty when brackets do not match.
authority split(std::string_view text) noexcept {
  authority result;
  if (text.find('@') != std::string_view::npos) {
    result.has_userinfo = true;
    return result;
  }
  auto rest = text;
  if (text.starts_with('[')) {
    auto end = text.find(']');
    if (end == std::string_view::npos)
      return result;
    rest = text.substr(end + 1);
    if (!rest.empty() && rest.front() != ':')
      return result;
    result.is_bracketed = true;
    result.host = text.substr(1, end - 1);
  } else {
    auto colon = text.find(':');
    result.host = text.substr(0, colon);
    rest = text.substr(result.host.size());
  }
  if (!rest.empty()) {
    result.has_port = true;
    result.port = rest.substr(1);
  }
  return result;
}

bool is_valid_port(std::string_view port) noexcept {
  if (port.empty() || port.size() > 5)
    return false;
  auto value = 0;
  for (auto c : port) {
    if (!is_digit(c))
      return false;
    value = value * 10 + (c - '0');
  }
  return value >= 1 && value <= 65535;
}

/// Returns whether a browser would read a host with this last label as IPv4:
/// all digits, or hexadecimal.
bool is_number(std::string_view label) noexcept {
  if (std::all_of(label.begin(), label.end(), is_digit))
    return true;
  return starts_with_folded(label, "0x")
         && std::all_of(label.begin() + 2, label.end(), [](char c) {
              return std::isxdigit(static_cast<unsigned char>(c)) != 0;
            });
}

/// Checks a host that is not in brackets: a dotted quad, or labels of letters,
/// digits, '-' and '_'. Percent-encoding is refused because it would hide one
/// host behind another's text.
bool is_valid_name(std::string_view host) noexcept {
  if (host.ends_with('.'))
    host.remove_suffix(1);
  if (host.empty() || host.size() > 253)
    return false;
  auto rest = host;
  for (;;) {
    auto end = rest.find('.');
    auto label = rest.substr(0, end);
    if (label.empty() || label.size() > 63
        || !std::all_of(label.begin(), label.end(), [](char c) {
             return is_alnum(c) || c == '-' || c == '_';
           }))
      return false;
    if (end == std::string_view::npos) {
      // "1.2.3", "0x7f000001" and the like mean an address to browsers; only
      // its usual form is taken.
      if (!is_number(label))
        return true;
      auto address = ip_address::parse(host);
      return address && address->is_v4;
    }
    rest.remove_prefix(end + 1);
  }
}

bool is_valid_v6(std::string_view host) noexcept {
  // No zone: it would mean something on our machine only.
  return host.find(':') != std::string_view::npos
         && host.find_first_not_of("0123456789abcdefABCDEF:.")
              == std::string_view::npos
         && ip_address::parse(host).has_value();
}

bool is_same_host(std::string_view host, std::string_view own) {
  if (host.ends_with('.'))
    host.remove_suffix(1);
  if (own.ends_with('.'))
    own.remove_suffix(1);
  if (equals_folded(host, own))
    return true;
  // One address has many texts.
  auto x = ip_address::parse(host);
  auto y = ip_address::parse(own.starts_with('[') && own.ends_with(']')
                               ? own.substr(1, own.size() - 2)
                               : own);
  return x && y && *x == *y;
}

} // namespace

own_hosts host_of_short_links(std::string_view short_base) {
  auto host = short_base;
  if (const auto pos = host.find("://"); pos != std::string_view::npos)
    host.remove_prefix(pos + 3);
  host = host.substr(0, host.find('/'));
  if (host.starts_with('['))
    host = host.substr(0, host.find(']') + 1);
  else
    host = host.substr(0, host.find(':'));
  if (host.ends_with('.'))
    host.remove_suffix(1);
  own_hosts result;
  if (!host.empty())
    result.names.emplace_back(lowered(host));
  return result;
}

caf::error check_destination(std::string_view url, const own_hosts& own,
                             std::string_view path) {
  auto broken = [path](std::string_view rule) {
    std::string text{path};
    text += ' ';
    text += rule;
    return make_error(ec::invalid, std::move(text));
  };
  if (url.empty() || url.size() > max_length)
    return broken("must be 1 to 2048 characters");
  auto is_printable = [](char c) { return c > 0x20 && c < 0x7f; };
  if (!std::all_of(url.begin(), url.end(), is_printable))
    return broken("must not contain spaces, control characters or non-ASCII "
                  "characters (send punycode and percent-encoding)");
  std::string_view rest;
  if (starts_with_folded(url, "http://"))
    rest = url.substr(7);
  else if (starts_with_folded(url, "https://"))
    rest = url.substr(8);
  else
    return broken("must be an absolute http or https URL");
  auto parts = split(rest.substr(0, rest.find_first_of("/?#")));
  if (parts.has_userinfo)
    return broken("must not contain a user name or password");
  if (parts.is_bracketed ? !is_valid_v6(parts.host)
                         : !is_valid_name(parts.host))
    return broken("must have a valid host");
  if (parts.has_port && !is_valid_port(parts.port))
    return broken("must have a port between 1 and 65535, or none");
  for (const auto& name : own.names)
    if (is_same_host(parts.host, name))
      return broken("must not point at the host of the short links");
  return {};
}

} // namespace turnout
