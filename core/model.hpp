#pragma once

#include "core/time.hpp"
#include "core/uuid.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace turnout {

/// The store's own number for a row, opaque to everybody else; 0 means the
/// row is not stored yet.
using row_key = int64_t;

/// How a link chooses the variant of a visit.
enum class routing_type : uint8_t { ab_test, geo };

/// Returns "ab_test" or "geo".
const char* to_string(routing_type x) noexcept;

/// Parses the two names above; nullopt for anything else.
std::optional<routing_type> parse_routing_type(std::string_view text) noexcept;

/// One destination of a link.
struct variant {
  uuid id;
  row_key key = 0;
  std::string label;
  std::string destination_url;
  /// Traffic share in percent, 0-100.
  int weight = 0;
  bool is_winner = false;
  /// Whether a later set of variants left this one out: it takes no traffic
  /// but keeps its id, clicks and conversions.
  bool retired = false;
  /// Place in the array that the owner sent last, from 0.
  int position = 0;
  timestamp created_at;

  bool operator==(const variant&) const = default;
};

/// Country code (or "default") to variant label, in the order sent.
using geo_rules = std::vector<std::pair<std::string, std::string>>;

/// A short link with everything its owner can set.
struct link {
  uuid id;
  row_key key = 0;
  /// The account that owns it.
  uuid user_id;
  std::string slug;
  std::string name;
  bool is_active = true;
  bool is_deleted = false;
  bool auto_winner = false;
  int auto_winner_threshold = 100;
  routing_type routing = routing_type::ab_test;
  std::optional<geo_rules> geo;
  bool enable_conversion_tracking = true;
  std::optional<std::string> conversion_redirect_url;
  timestamp created_at;
  timestamp updated_at;
  /// All variants, retired ones included, by `position`, retired last.
  std::vector<variant> variants;
  /// Evaluation round of the winner: rises when a destination or the set of
  /// labels changes (see docs/winner.md, generation).
  int generation = 1;
  /// Number of the weight vector in force (a stratum), unique within the link.
  int stratum = 1;
  /// Counts the stored changes of this link; a save that names an older one
  /// fails with `ec::stale`.
  int64_t version = 0;
  /// Clicks that were counted elsewhere before the link was imported. In no
  /// total: no event stands behind them (docs/import-export.md).
  int64_t imported_clicks = 0;

  bool operator==(const link&) const = default;
};

/// The weights in force during one stratum of a link.
struct stratum {
  int number = 1;
  int generation = 1;
  /// Variant id and weight of every variant that was not retired.
  std::vector<std::pair<uuid, int>> weights;

  bool operator==(const stratum&) const = default;
};

/// Clicks and conversions of one variant (id none: the conversions that name
/// no variant).
struct variant_totals {
  uuid variant_id;
  int64_t clicks = 0;
  /// All conversions credited to the variant.
  int64_t conversions = 0;
  /// Clicks that converted, at most `clicks`.
  int64_t converted = 0;
};

/// An account: who owns links and keys.
struct account {
  uuid id;
  std::string email;
  /// Argon2id string; empty for accounts of an external identity provider.
  std::string password_hash;
  bool api_access = true;
  /// API requests per hour; nullopt means the configured default.
  std::optional<int> rate_limit;
  timestamp created_at;
};

/// What an API key may do.
enum class key_type : uint8_t { secret, publishable, live };

/// Returns the type's prefix: "svc_sk_", "svc_pk_" or "svc_live_".
const char* prefix_of(key_type x) noexcept;

/// Returns "secret", "publishable" or "live".
const char* to_string(key_type x) noexcept;

/// Parses the three names above; nullopt for anything else.
std::optional<key_type> parse_key_type(std::string_view text) noexcept;

/// A stored API key: everything but the key itself.
struct api_key {
  uuid id;
  uuid account_id;
  key_type type = key_type::secret;
  std::string name;
  /// Type prefix and the first 4 random characters.
  std::string prefix;
  /// Lower-case hex SHA-256 of the full key.
  std::string hash;
  timestamp created_at;
  std::optional<timestamp> last_used_at;
  bool is_active = true;
};

} // namespace turnout
