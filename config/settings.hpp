#pragma once

#include "core/error.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace turnout {

/// All settings of Turnout, by section of the configuration file. Defaults
/// stand in config/defaults.hpp, with a sentence and the range of each.
struct settings {
  struct http_section {
    std::string listen;
    std::string operator_listen;
    /// Ends in /api/v1; empty derives it from the address listened on.
    std::string base_url;
    /// Address of the short links, without a slash at the end; empty derives
    /// it from the address listened on.
    std::string short_base;
    /// Value of Access-Control-Allow-Origin.
    std::string cors_origin;
    /// Addresses or CIDR blocks whose forwarding headers are believed.
    std::vector<std::string> trusted_proxies;
    /// Number of reactors; 0 means one per core.
    int reactors;
    int max_connections;
    /// Requests under way at once before 503, per reactor.
    int max_in_flight;
    int read_timeout_seconds;
  } http;

  struct storage_section {
    /// Name of the storage plugin.
    std::string plugin;
    std::string dsn;
    /// Directory to look for plugins in first; empty for the built-in places.
    std::string plugin_dir;
    /// Store workers, each with a connection of its own.
    int workers;
    /// Calls that may wait for a worker before 503.
    int queue;
  } storage;

  struct journal_section {
    int64_t max_bytes;
    int sync_interval_ms;
    int drain_interval_ms;
    int drain_batch;
  } journal;

  struct redirect_section {
    bool query_passthrough;
    bool sticky;
    /// Query parameter that carries the click id to the destination; empty
    /// means off.
    std::string click_id_parameter;
    /// Whether destinations on our own short_base host are accepted.
    bool allow_own_host;
  } redirect;

  struct slug_section {
    int length;
  } slug;

  struct geo_section {
    /// Path of the .mmdb file; empty for the one that was installed.
    std::string database;
    std::string country_header;
  } geo;

  struct links_section {
    /// Seconds without a visit after which a link leaves memory.
    int idle_seconds;
    /// Unknown slugs remembered.
    int unknown_slugs;
    int unknown_seconds;
    /// Links per account; 0 means no limit.
    int per_account;
  } links;

  struct rate_limit_section {
    int per_hour;
    int bad_keys_per_minute;
  } rate_limit;

  /// Who signs session tokens. Without `jwks_url` and `jwt_secret` it is the
  /// built-in sign-in.
  struct auth_section {
    /// Where the identity provider publishes its keys.
    std::string jwks_url;
    /// Secret that the identity provider signs with (HS256).
    std::string jwt_secret;
    /// What `iss` and `aud` must say; empty means anything.
    std::string issuer;
    std::string audience;
    /// Claim that must be true for API access; empty for none.
    std::string required_claim;
    /// What the header apikey of a sign-in must say; empty means anything.
    std::string anon_key;
    /// Where the dashboard finds the password grant of an external identity
    /// provider; empty when it does not.
    std::string sign_in_url;
    int jwks_refresh_seconds;

    /// Whether somebody else signs session tokens.
    bool is_external() const noexcept {
      return !jwks_url.empty() || !jwt_secret.empty();
    }
  } auth;

  struct log_section {
    /// debug, info, warning or error.
    std::string level;
  } log;

  std::filesystem::path data_dir;

  /// Starts with the defaults.
  settings();
};

/// Fails with `ec::config`, naming the first setting that is out of range, its
/// value and what is allowed.
caf::error validate(const settings& x);

} // namespace turnout
