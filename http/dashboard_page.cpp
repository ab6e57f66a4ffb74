#include "http/dashboard_page.hpp"

#include "core/identifiers.hpp"
#include "http/dashboard_data.hpp"
#include "http/match_etag.hpp"
#include "http/pages.hpp"

namespace turnout {

namespace {

/// Sets the content of a meta element; the page need not have it.
void set_meta(std::string& page, std::string_view name,
              std::string_view content) {
  auto mark = "<meta name=\"" + std::string{name} + "\" content=\"";
  const auto pos = page.find(mark);
  if (pos == std::string::npos)
    return;
  const auto begin = pos + mark.size();
  page.replace(begin, page.find('"', begin) - begin, escape_html(content));
}

/// Returns scheme and host of an address; empty when it has none.
std::string_view origin_of(std::string_view url) noexcept {
  const auto host = url.find("://");
  if (host == std::string_view::npos)
    return {};
  return url.substr(0, url.find_first_of("/?#", host + 3));
}

} // namespace

dashboard_page::dashboard_page(const dashboard_addresses& x)
  : x_text{dashboard_data::page} {
  set_meta(x_text, "turnout-api", x.api);
  set_meta(x_text, "turnout-short", x.short_base);
  set_meta(x_text, "turnout-auth", x.sign_in);
  set_meta(x_text, "turnout-anon-key", x.anon_key);
  x_etag = '"' + sha256_hex(x_text).substr(0, 32) + '"';
  x_policy = "default-src 'none'; script-src 'self'; style-src 'self'; "
             "img-src 'self' data:; font-src 'self'; connect-src 'self'";
  // The identity provider, when that is somebody else.
  if (const auto origin = origin_of(x.sign_in); !origin.empty()) {
    x_policy += ' ';
    x_policy += origin;
  }
  x_policy += "; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
}

response dashboard_page::answer(const request& in) const {
  const auto is_known = matches_etag(in.if_none_match, x_etag);
  response result{is_known ? 304 : 200};
  result.header("Cache-Control", "no-cache")
    .header("ETag", x_etag)
    .header("Content-Security-Policy", x_policy)
    .header("X-Content-Type-Options", "nosniff")
    .header("Referrer-Policy", "same-origin")
    .header("Permissions-Policy",
            "camera=(), display-capture=(), geolocation=(), microphone=(), "
            "payment=(), usb=()")
    .header("Cross-Origin-Opener-Policy", "same-origin")
    .header("Cross-Origin-Resource-Policy", "same-origin");
  if (!is_known)
    result.content("text/html; charset=utf-8", x_text);
  return result;
}

response dashboard_asset(const request& in) {
  const auto* file = find_asset(dashboard_data::files, in.path);
  return file == nullptr ? not_found_page(in) : asset_response(*file, in);
}

} // namespace turnout
