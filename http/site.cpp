#include "http/site.hpp"

#include "core/identifiers.hpp"
#include "http/reachable_address.hpp"
#include "monitoring/buckets.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace turnout {

namespace {

constexpr std::string_view default_prefix = "/api/v1";

/// Several users may share an address.
attempt_limiter::options address_attempts() {
  attempt_limiter::options result;
  result.free_failures = 20;
  result.max_at_once = 32;
  return result;
}

std::string_view without_scheme(std::string_view url) noexcept {
  const auto pos = url.find("://");
  return pos == std::string_view::npos ? url : url.substr(pos + 3);
}

std::string path_of(std::string_view url) {
  const auto rest = without_scheme(url);
  const auto slash = rest.find('/');
  return slash == std::string_view::npos ? std::string{}
                                         : std::string{rest.substr(slash)};
}

void cut_slashes(std::string& url) {
  while (url.ends_with('/'))
    url.pop_back();
}

} // namespace

site::lane::lane(metrics& counters)
  : redirect_seconds{counters.redirect_seconds, buckets::redirect_seconds} {
  // nop
}

site::site(service& actors, const settings& options, metrics& counters,
           const geo_lookup& geo, size_t reactors)
  : actors{actors},
    counters{counters},
    geo{geo},
    bad_keys{std::max(1, options.rate_limit.bad_keys_per_minute)},
    attempts_by_address{address_attempts()},
    attempts_by_email{{}},
    has_sign_in{!options.auth.is_external()},
    anon_key_hash{options.auth.anon_key.empty()
                    ? std::string{}
                    : sha256_hex(options.auth.anon_key)},
    base_url{options.http.base_url},
    short_base{options.http.short_base},
    cors_origin{options.http.cors_origin},
    x_allow_own_host{options.redirect.allow_own_host},
    x_anon_key{options.auth.anon_key},
    x_sign_in_url{has_sign_in ? "/" : options.auth.sign_in_url} {
  for (size_t i = 0; i < std::max<size_t>(reactors, 1); ++i)
    lanes.emplace_back(std::make_unique<lane>(counters));
  apply(options);
  derive();
}

void site::apply(const settings& options) {
  x_all_rules.push_back(std::make_unique<const traffic_rules>(options));
  x_rules.store(x_all_rules.back().get(), std::memory_order_release);
  bad_keys.set_limit(std::max(1, options.rate_limit.bad_keys_per_minute));
  counters.connections_limit->Set(
    static_cast<double>(std::max(1, options.http.max_connections)));
}

void site::listening_on(const std::string& address) {
  const auto reachable = reachable_address(address);
  if (short_base.empty())
    short_base = "http://" + reachable;
  if (base_url.empty())
    base_url = "http://" + reachable + std::string{default_prefix};
  derive();
}

void site::derive() {
  cut_slashes(short_base);
  cut_slashes(base_url);
  api_prefix
    = base_url.empty() ? std::string{default_prefix} : path_of(base_url);
  public_root = base_url.substr(0, base_url.size() - path_of(base_url).size());
  is_secure = base_url.starts_with("https://");
  // The prefix has browsers refuse the cookie when another host set it.
  session_cookie_name = is_secure ? "__Host-svc_session" : "svc_session";
  description = describe_api(base_url, public_root, short_base);
  dashboard
    = dashboard_page{{api_prefix, short_base, x_sign_in_url, x_anon_key}};
  auto own = host_of_short_links(short_base);
  own_host = own.names.empty() ? std::string{} : own.names.front();
  forbidden = x_allow_own_host ? own_hosts{} : std::move(own);
  cookie_attributes = "; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax";
  if (short_base.starts_with("https://"))
    cookie_attributes += "; Secure";
}

} // namespace turnout
