#pragma once

#include <cstdint>
#include <string_view>

/// The default of every setting, and for numbers what is allowed. What each
/// setting means stands in config/setting_table.cpp, from where the example
/// file is made.
namespace turnout::defaults {

/// A whole number: its default and the bounds, both inclusive.
struct bounded {
  int64_t value;
  int64_t min;
  int64_t max;
};

/// Directory of the store, the journal and the secrets, relative to the
/// working directory.
inline constexpr std::string_view data_dir = "./data";

namespace http {

/// The public listener; only local until somebody decides otherwise.
inline constexpr std::string_view listen = "127.0.0.1:8080";

/// The operator listener; never to be reachable from outside.
inline constexpr std::string_view operator_listen = "127.0.0.1:9464";

/// Empty: derived from the address listened on.
inline constexpr std::string_view base_url = "";

/// Empty: derived from the address listened on.
inline constexpr std::string_view short_base = "";

/// Any web page may call the API; keys, not origins, protect it.
inline constexpr std::string_view cors_origin = "*";

/// Loopback, where a reverse proxy on the same machine connects from. Divided
/// by commas.
inline constexpr std::string_view trusted_proxies = "127.0.0.0/8, ::1";

/// 0 is one per core.
inline constexpr bounded reactors{0, 0, 256};

/// Open connections of the public listener.
inline constexpr bounded max_connections{20'000, 1, 1'000'000};

/// Requests under way at once, per reactor.
inline constexpr bounded max_in_flight{4'096, 1, 1'000'000};

/// Seconds a client may take for a request.
inline constexpr bounded read_timeout_seconds{15, 1, 600};

} // namespace http

namespace storage {

/// The one that needs no server.
inline constexpr std::string_view plugin = "sqlite";

/// Empty: the plugin's own default, for sqlite a file in the data directory.
inline constexpr std::string_view dsn = "";

/// Empty: beside the executable and in the library directory.
inline constexpr std::string_view plugin_dir = "";

/// Store workers, each with a thread and a connection.
inline constexpr bounded workers{2, 1, 64};

/// Calls that may wait for a worker.
inline constexpr bounded queue{1'024, 1, 100'000};

} // namespace storage

namespace journal {

/// 4 GiB, some 30 million clicks; at least one MiB, at most one PiB.
inline constexpr bounded max_bytes{4ll << 30, 1ll << 20, 1ll << 50};

/// Milliseconds between forced writes to the disk: what a power cut may take.
inline constexpr bounded sync_interval_ms{1'000, 10, 60'000};

/// Milliseconds between looks at the journal: how far counts are behind.
inline constexpr bounded drain_interval_ms{200, 10, 60'000};

/// Events stored in one transaction: the more, the more of them share rows and
/// pages; they take some 20 MiB.
inline constexpr bounded drain_batch{20'000, 1, 100'000};

} // namespace journal

namespace redirect {

/// Visits hand their query on to the destination.
inline constexpr bool query_passthrough = true;

/// Returning visitors keep their variant.
inline constexpr bool sticky = true;

/// Empty: off.
inline constexpr std::string_view click_id_parameter = "";

/// Links to our own short links are refused.
inline constexpr bool allow_own_host = false;

} // namespace redirect

namespace slug {

/// Characters of a generated slug.
inline constexpr bounded length{7, 3, 32};

} // namespace slug

namespace geo {

/// Empty: the file that the set-up brought.
inline constexpr std::string_view database = "";

/// As Cloudflare sends it.
inline constexpr std::string_view country_header = "CF-IPCountry";

} // namespace geo

namespace links {

/// Seconds without a visit; at most 30 days.
inline constexpr bounded idle_seconds{3'600, 1, 2'592'000};

/// Unknown slugs remembered; 0 remembers none.
inline constexpr bounded unknown_slugs{100'000, 0, 10'000'000};

/// Seconds an unknown slug is remembered.
inline constexpr bounded unknown_seconds{60, 1, 3'600};

/// Links per account; 0 is no limit.
inline constexpr bounded per_account{0, 0, 1'000'000'000};

} // namespace links

namespace rate_limit {

/// Requests per account and hour.
inline constexpr bounded per_hour{1'000, 1, 1'000'000'000};

/// Requests without a valid key, per client address and minute.
inline constexpr bounded bad_keys_per_minute{300, 1, 1'000'000};

} // namespace rate_limit

namespace auth {

/// Empty: the built-in sign-in.
inline constexpr std::string_view jwks_url = "";

/// Empty: the built-in sign-in.
inline constexpr std::string_view jwt_secret = "";

/// Empty: not checked.
inline constexpr std::string_view issuer = "";

/// Empty: not checked.
inline constexpr std::string_view audience = "";

/// Empty: external accounts have API access.
inline constexpr std::string_view required_claim = "";

/// Empty: not checked.
inline constexpr std::string_view anon_key = "";

/// Empty: the dashboard asks for a session token.
inline constexpr std::string_view sign_in_url = "";

/// Seconds between looks at the identity provider's keys; at most a day.
inline constexpr bounded jwks_refresh_seconds{300, 1, 86'400};

} // namespace auth

namespace log {

/// Starts, stops and what went wrong.
inline constexpr std::string_view level = "info";

} // namespace log

} // namespace turnout::defaults
