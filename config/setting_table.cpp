#include "config/defaults.hpp"
#include "config/setting.hpp"
#include "config/syntax.hpp"
#include "core/privacy.hpp"

#include <algorithm>
#include <iterator>
#include <type_traits>

namespace turnout::config {

namespace {

bool is_endpoint(std::string_view text) {
  return parse_endpoint(text).has_value();
}

bool is_block(std::string_view text) {
  return ip_block::parse(text).has_value();
}

bool is_level(std::string_view text) {
  return text == "debug" || text == "info" || text == "warning"
         || text == "error";
}

bool is_not_empty(std::string_view text) {
  return !text.empty();
}

/// A row of a string, list, flag or path. `Member` finds it in the settings,
/// const or not.
template <class Member>
setting row(std::string_view section, std::string_view key, Member member,
            value fallback, std::string_view help) {
  using type = std::remove_cvref_t<std::invoke_result_t<Member, settings&>>;
  setting result;
  result.section = section;
  result.key = key;
  result.help = help;
  result.fallback = std::move(fallback);
  result.read = [member](const settings& x) -> value {
    if constexpr (std::is_same_v<type, int>)
      return int64_t{member(x)};
    else if constexpr (std::is_same_v<type, std::filesystem::path>)
      return member(x).string();
    else
      return member(x);
  };
  result.write = [member](settings& x, const value& y) {
    if constexpr (std::is_same_v<type, int>)
      member(x) = static_cast<int>(std::get<int64_t>(y));
    else if constexpr (std::is_same_v<type, std::filesystem::path>)
      member(x) = std::get<std::string>(y);
    else
      member(x) = std::get<type>(y);
  };
  return result;
}

/// A row of a number.
template <class Member>
setting row(std::string_view section, std::string_view key, Member member,
            defaults::bounded range, std::string_view help) {
  auto result = row(section, key, member, value{range.value}, help);
  result.min = range.min;
  result.max = range.max;
  return result;
}

/// A row of strings that have a form to keep to.
template <class Member>
setting row(std::string_view section, std::string_view key, Member member,
            value fallback, bool (*accepts)(std::string_view),
            std::string_view expected, std::string_view help) {
  auto result = row(section, key, member, std::move(fallback), help);
  result.accepts = accepts;
  result.expected = expected;
  return result;
}

value text(std::string_view x) {
  return std::string{x};
}

value words(std::string_view x) {
  std::vector<std::string> result;
  while (!x.empty()) {
    auto end = x.find(", ");
    result.emplace_back(x.substr(0, end));
    x = end == std::string_view::npos ? std::string_view{} : x.substr(end + 2);
  }
  return result;
}

/// What app/reload.cpp takes over while the service runs. The others are
/// where threads, sockets, files and actors were made.
bool is_reloaded(std::string_view name) {
  constexpr std::string_view names[] = {
    "http.trusted_proxies",
    "http.max_connections",
    "http.max_in_flight",
    "geo.database",
    "links.per_account",
    "rate_limit.per_hour",
    "log.level",
    "rate_limit.bad_keys_per_minute",
  };
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

#define MEMBER(path)                                                           \
  [](auto& x) -> auto& {                                                       \
    return x.path;                                                             \
  }

std::vector<setting> make_table() {
  namespace d = defaults;
  std::vector<setting> rows;
  auto add = [&rows](auto&&... xs) -> setting& {
    return rows.emplace_back(row(std::forward<decltype(xs)>(xs)...));
  };
  add("", "data_dir", MEMBER(data_dir), text(d::data_dir), is_not_empty,
      "a directory",
      "Directory of the SQLite store, the journal and the secrets; it is made "
      "when it does not exist.");
  // -- http -------------------------------------------------------------------
  constexpr std::string_view endpoints
    = "address:port, such as 127.0.0.1:8080 or [::1]:8080";
  add("http", "listen", MEMBER(http.listen), text(d::http::listen), is_endpoint,
      endpoints,
      "Public listener: API, short links, sign-in and dashboard. Port 0 lets "
      "the system choose.");
  add("http", "operator_listen", MEMBER(http.operator_listen),
      text(d::http::operator_listen), is_endpoint, endpoints,
      "Operator listener: /metrics, /healthz and /readyz. Keep it away from "
      "the public.");
  add("http", "base_url", MEMBER(http.base_url), text(d::http::base_url),
      is_base_url, "an http or https address that ends in /api/v1",
      "Address of the API as clients see it, ending in /api/v1. Empty: made "
      "from http.listen.");
  add("http", "short_base", MEMBER(http.short_base), text(d::http::short_base),
      is_short_base, "an http or https address without a slash at the end",
      "Address of the short links as visitors see it, without a slash at the "
      "end. Empty: made from http.listen.");
  add("http", "cors_origin", MEMBER(http.cors_origin),
      text(d::http::cors_origin), is_cors_origin,
      "\"*\" or an origin, such as https://app.example",
      "Web pages of this origin may call the API; \"*\" allows all.");
  add("http", "trusted_proxies", MEMBER(http.trusted_proxies),
      words(d::http::trusted_proxies), is_block,
      "addresses or CIDR blocks, such as 10.0.0.0/8",
      "Addresses or CIDR blocks of reverse proxies. Only their "
      "X-Forwarded-For, X-Real-IP and country headers are believed.");
  add("http", "reactors", MEMBER(http.reactors), d::http::reactors,
      "Threads that serve connections; 0 is one per core.");
  add("http", "max_connections", MEMBER(http.max_connections),
      d::http::max_connections, "Open connections of the public listener.");
  add("http", "max_in_flight", MEMBER(http.max_in_flight),
      d::http::max_in_flight,
      "Requests under way at once, per reactor; more are answered 503.");
  add("http", "read_timeout_seconds", MEMBER(http.read_timeout_seconds),
      d::http::read_timeout_seconds,
      "Seconds a client may take to send a request.");
  // -- storage ----------------------------------------------------------------
  add("storage", "plugin", MEMBER(storage.plugin), text(d::storage::plugin),
      is_plugin_name, "the name of a plugin, such as sqlite or postgresql",
      "Storage plugin: sqlite for one node, postgresql for several that share "
      "the work.");
  add("storage", "dsn", MEMBER(storage.dsn), text(d::storage::dsn),
      "Where the store is. sqlite: stays empty, the store is turnout.db in "
      "data_dir. postgresql: a connection string, such as "
      "postgresql://turnout:secret@db.example/turnout.")
    .secret
    = true;
  add("storage", "plugin_dir", MEMBER(storage.plugin_dir),
      text(d::storage::plugin_dir),
      "Directory to look for plugins in first. Empty: beside the executable "
      "and in the library directory.");
  add("storage", "workers", MEMBER(storage.workers), d::storage::workers,
      "Threads that talk to the store, each with a connection of its own.");
  add("storage", "queue", MEMBER(storage.queue), d::storage::queue,
      "Calls that may wait for a worker; more are answered 503.");
  // -- journal ----------------------------------------------------------------
  add("journal", "max_bytes", MEMBER(journal.max_bytes), d::journal::max_bytes,
      "Size of the journal of each reactor, in bytes. When the store is away "
      "so long that it is full, visits are redirected but lost to the "
      "statistics.");
  add("journal", "sync_interval_ms", MEMBER(journal.sync_interval_ms),
      d::journal::sync_interval_ms,
      "Milliseconds between forced writes to the disk: what a power cut may "
      "take. A crash of the process takes nothing.");
  add("journal", "drain_interval_ms", MEMBER(journal.drain_interval_ms),
      d::journal::drain_interval_ms,
      "Milliseconds between moves of events into the store: how far counts "
      "are behind. Under load it is up to 3.5 times as much, at most 700.");
  add("journal", "drain_batch", MEMBER(journal.drain_batch),
      d::journal::drain_batch, "Events stored in one transaction.");
  // -- redirect ---------------------------------------------------------------
  add("redirect", "query_passthrough", MEMBER(redirect.query_passthrough),
      value{d::redirect::query_passthrough},
      "Whether the query of a visit is handed on to the destination.");
  add("redirect", "sticky", MEMBER(redirect.sticky), value{d::redirect::sticky},
      "Whether a cookie keeps returning visitors on their variant.");
  add("redirect", "click_id_parameter", MEMBER(redirect.click_id_parameter),
      text(d::redirect::click_id_parameter), is_query_name,
      "at most 64 letters, digits and -_.~",
      "Query parameter that tells the destination the click's id. Empty: "
      "off.");
  add("redirect", "allow_own_host", MEMBER(redirect.allow_own_host),
      value{d::redirect::allow_own_host},
      "Whether destinations may be short links of this service.");
  // -- slug, geo, links -------------------------------------------------------
  add("slug", "length", MEMBER(slug.length), d::slug::length,
      "Characters of a generated slug.");
  add("geo", "database", MEMBER(geo.database), text(d::geo::database),
      "Path of the .mmdb file that tells countries. Empty: the one that the "
      "set-up brought. A changed file is picked up without a restart.");
  add("geo", "country_header", MEMBER(geo.country_header),
      text(d::geo::country_header), is_header_name, "the name of a header",
      "Header in which a trusted proxy tells the visitor's country; it wins "
      "over the database. Empty: none.");
  add("links", "idle_seconds", MEMBER(links.idle_seconds),
      d::links::idle_seconds,
      "Seconds without a visit after which a link leaves memory.");
  add("links", "unknown_slugs", MEMBER(links.unknown_slugs),
      d::links::unknown_slugs,
      "Unknown slugs to remember, so that they do not cost a look into the "
      "store each.");
  add("links", "unknown_seconds", MEMBER(links.unknown_seconds),
      d::links::unknown_seconds,
      "Seconds for which a slug is remembered as unknown.");
  add("links", "per_account", MEMBER(links.per_account), d::links::per_account,
      "Links an account may have; 0 is no limit.");
  // -- rate_limit -------------------------------------------------------------
  add("rate_limit", "per_hour", MEMBER(rate_limit.per_hour),
      d::rate_limit::per_hour,
      "API requests per hour of accounts without a limit of their own.");
  add("rate_limit", "bad_keys_per_minute",
      MEMBER(rate_limit.bad_keys_per_minute),
      d::rate_limit::bad_keys_per_minute,
      "Requests without a valid key per minute and client address.");
  // -- auth, log --------------------------------------------------------------
  add("auth", "jwks_url", MEMBER(auth.jwks_url), text(d::auth::jwks_url),
      is_web_address, "an http or https address",
      "Address of the JWKS of an external identity provider, whose RS256 and "
      "ES256 session tokens are then accepted instead of the built-in "
      "sign-in's. Empty: none.");
  add("auth", "jwt_secret", MEMBER(auth.jwt_secret), text(d::auth::jwt_secret),
      "Secret with which an external identity provider signs session tokens "
      "(HS256), instead of auth.jwks_url. Empty: none.")
    .hidden
    = true;
  add("auth", "issuer", MEMBER(auth.issuer), text(d::auth::issuer),
      "What the claim iss of session tokens must be. Empty: not checked.");
  add("auth", "audience", MEMBER(auth.audience), text(d::auth::audience),
      "What the claim aud of session tokens must be or contain. Empty: not "
      "checked.");
  add("auth", "required_claim", MEMBER(auth.required_claim),
      text(d::auth::required_claim),
      "Claim of an external session token, such as api_access, that must be "
      "true for making API keys. Empty: every valid token may.");
  add("auth", "anon_key", MEMBER(auth.anon_key), text(d::auth::anon_key),
      "What clients of the built-in sign-in must send as header apikey. Empty: "
      "anything. The dashboard sends it, so whoever opens that can read it.")
    .hidden
    = true;
  add("auth", "sign_in_url", MEMBER(auth.sign_in_url),
      text(d::auth::sign_in_url), is_web_address, "an http or https address",
      "Address below which an external identity provider answers "
      "/auth/v1/token, for the dashboard's sign-in. Empty: the dashboard asks "
      "for a session token.");
  add("auth", "jwks_refresh_seconds", MEMBER(auth.jwks_refresh_seconds),
      d::auth::jwks_refresh_seconds,
      "Seconds between looks at auth.jwks_url. A token with an unknown key "
      "has it looked at sooner.");
  add("log", "level", MEMBER(log.level), text(d::log::level), is_level,
      "debug, info, warning or error",
      "Lowest level that is logged: debug, info, warning or error.");
  for (auto& x : rows)
    x.reloads = is_reloaded(x.name());
  return rows;
}

#undef MEMBER

} // namespace

const std::vector<setting>& setting_table() {
  static const auto table = make_table();
  return table;
}

} // namespace turnout::config
