#pragma once

#include "actors/service.hpp"
#include "config/settings.hpp"
#include "core/rules.hpp"
#include "http/api_description.hpp"
#include "http/attempt_limiter.hpp"
#include "http/bad_key_limiter.hpp"
#include "http/dashboard_page.hpp"
#include "http/geo.hpp"
#include "http/traffic_rules.hpp"
#include "monitoring/local_histogram.hpp"
#include "monitoring/metrics.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace turnout {

/// Everything that handlers need: whom to ask, where to count, and what follows
/// from the settings. Shared by all reactors; does not change while it serves,
/// but for what is locked, belongs to one reactor, or is replaced by `apply`.
struct site {
  /// @param reactors number of reactors that will handle requests.
  site(service& actors, const settings& options, metrics& counters,
       const geo_lookup& geo, size_t reactors);

  /// Sets the addresses that the settings leave open.
  /// @param address what is listened on, such as "127.0.0.1:8080".
  void listening_on(const std::string& address);

  /// Takes over what a reload may change. Requests that have begun keep the
  /// rules they began with. For one thread at a time.
  void apply(const settings& options);

  /// What is in force now; costs one load of a pointer. A request that needs
  /// several of them asks once, so that they belong together.
  const traffic_rules& rules() const noexcept {
    return *x_rules.load(std::memory_order_acquire);
  }

  service& actors;
  metrics& counters;
  const geo_lookup& geo;
  mutable bad_key_limiter bad_keys;
  mutable attempt_limiter attempts_by_address;
  mutable attempt_limiter attempts_by_email;

  /// Whether users sign in here, and not at an external identity provider.
  bool has_sign_in;

  /// Hash of what clients of the sign-in must send as apikey; empty for
  /// anything.
  std::string anon_key_hash;

  /// Path of base_url, such as "/api/v1".
  std::string api_prefix;

  /// Full addresses, without a slash at the end.
  std::string base_url;
  std::string short_base;

  /// Full address of the public listener: base_url without its path.
  std::string public_root;

  /// Host of short_base in lower case.
  std::string own_host;

  /// Hosts that destinations must not point at.
  own_hosts forbidden;

  /// Whether base_url is https.
  bool is_secure = false;

  /// Of the cookie of a session of the dashboard.
  std::string session_cookie_name;

  std::string cors_origin;

  api_description description;

  dashboard_page dashboard;

  /// What is appended to the sticky cookie's name and value.
  std::string cookie_attributes;

  /// Exports under way, in all reactors.
  mutable std::atomic<int> exports{0};

  /// What belongs to one reactor.
  struct lane {
    explicit lane(metrics& counters);

    local_histogram redirect_seconds;
    bool flush_is_due = false;
  };

  mutable std::vector<std::unique_ptr<lane>> lanes;

private:
  void derive();

  bool x_allow_own_host;
  std::string x_anon_key;
  std::string x_sign_in_url;

  /// All that were ever in force: a few hundred bytes for each reload, and no
  /// reader has to say that it is done.
  std::vector<std::unique_ptr<const traffic_rules>> x_all_rules;

  std::atomic<const traffic_rules*> x_rules{nullptr};
};

} // namespace turnout
