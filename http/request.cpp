#include "http/request.hpp"

#include "core/ascii.hpp"

#include <algorithm>

namespace turnout {

namespace {

std::string_view trim(std::string_view x) noexcept {
  const auto begin = x.find_first_not_of(" \t");
  if (begin == std::string_view::npos)
    return {};
  return x.substr(begin, x.find_last_not_of(" \t") - begin + 1);
}

} // namespace

std::string_view to_string(http_method x) noexcept {
  switch (x) {
    case http_method::get:
      return "GET";
    case http_method::head:
      return "HEAD";
    case http_method::post:
      return "POST";
    case http_method::put:
      return "PUT";
    case http_method::del:
      return "DELETE";
    case http_method::options:
      return "OPTIONS";
    case http_method::other:
      break;
  }
  return "OTHER";
}

void request::set_target(std::string_view x) {
  target = x;
  header_bytes += x.size();
  if (!x.starts_with('/')) {
    // "GET http://host/path" is what clients send to a proxy.
    const auto scheme = x.find("://");
    if (scheme != std::string_view::npos) {
      const auto begin = x.find_first_of("/?#", scheme + 3);
      x = begin == std::string_view::npos ? "/" : x.substr(begin);
      if (!x.starts_with('/')) {
        path = "/";
        query = x.starts_with('?') ? x.substr(1, x.find('#') - 1) : "";
        return;
      }
    }
  }
  x = x.substr(0, x.find('#'));
  const auto mark = x.find('?');
  path = x.substr(0, mark);
  query
    = mark == std::string_view::npos ? std::string_view{} : x.substr(mark + 1);
}

void request::add_header(std::string_view name, std::string_view value,
                         std::string_view country_header) {
  if (!country_header.empty() && equals_folded(name, country_header))
    country = trim(value);
  switch (name.size()) {
    case 5:
      if (equals_folded(name, "x-moz"))
        x_moz = value;
      break;
    case 6:
      if (equals_folded(name, "cookie")) {
        if (cookies.empty()) {
          cookies = value;
        } else {
          std::string joined{cookies};
          joined += "; ";
          joined += value;
          x_joined_cookies = std::move(joined);
          cookies = x_joined_cookies;
        }
      } else if (equals_folded(name, "accept")) {
        accept = value;
      } else if (equals_folded(name, "apikey")) {
        client_key = trim(value);
      }
      break;
    case 7:
      if (equals_folded(name, "referer"))
        referer = value;
      else if (equals_folded(name, "purpose"))
        purpose = value;
      break;
    case 9:
      if (equals_folded(name, "x-real-ip")) {
        real_ip = value;
      } else if (equals_folded(name, "x-api-key")) {
        api_key = trim(value);
        ++api_keys;
        return;
      }
      break;
    case 10:
      if (equals_folded(name, "user-agent"))
        user_agent = value;
      break;
    case 11:
      if (equals_folded(name, "sec-purpose"))
        sec_purpose = value;
      break;
    case 12:
      if (equals_folded(name, "content-type"))
        content_type = trim(value);
      break;
    case 13:
      if (equals_folded(name, "if-none-match")) {
        if_none_match = trim(value);
      } else if (equals_folded(name, "authorization")) {
        authorization = trim(value);
        ++authorizations;
      }
      break;
    case 15:
      if (equals_folded(name, "x-forwarded-for")) {
        forwarded_for.push_back(value);
      } else if (equals_folded(name, "idempotency-key")) {
        idempotency_key = trim(value);
        ++idempotency_keys;
      } else if (equals_folded(name, "accept-encoding")) {
        accept_encoding = value;
      }
      break;
    case 16:
      if (equals_folded(name, "x-requested-with"))
        requested_with = trim(value);
      break;
    default:
      break;
  }
  header_bytes += name.size() + value.size() + 4;
}

} // namespace turnout
