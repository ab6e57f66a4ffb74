#pragma once

#include "core/event.hpp"
#include "core/model.hpp"
#include "core/report.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace turnout::plugins {

// The columns of each table as SOCI exchanges them, and their conversions to
// and from the structs of core/.

struct account_row {
  uuid id;
  std::string email;
  std::string password_hash;
  int api_access = 0;
  /// -1 means the configured default.
  int rate_limit = -1;
  int64_t created_at = 0;

  account_row() = default;
  explicit account_row(const account& x);
  account get() const;
  auto columns() {
    return std::tie(id, email, password_hash, api_access, rate_limit,
                    created_at);
  }
};

struct api_key_row {
  uuid id;
  uuid account_id;
  int type = 0;
  std::string name;
  std::string prefix;
  std::string hash;
  int64_t created_at = 0;
  /// 0 means never.
  int64_t last_used_at = 0;
  int is_active = 0;

  api_key_row() = default;
  explicit api_key_row(const api_key& x);
  api_key get() const;
  auto columns() {
    return std::tie(id, account_id, type, name, prefix, hash, created_at,
                    last_used_at, is_active);
  }
};

struct link_row {
  int64_t key = 0;
  uuid id;
  uuid user_id;
  std::string slug;
  std::string name;
  int is_active = 0;
  int is_deleted = 0;
  int auto_winner = 0;
  int auto_winner_threshold = 0;
  int routing = 0;
  std::string geo;
  int enable_conversion_tracking = 0;
  std::string conversion_redirect_url;
  int64_t created_at = 0;
  int64_t updated_at = 0;
  int generation = 0;
  int stratum = 0;
  int64_t version = 0;
  int64_t imported_clicks = 0;

  link_row() = default;
  explicit link_row(const link& x);
  /// Returns the link without its variants.
  link get() const;
  auto columns() {
    return std::tie(key, id, user_id, slug, name, is_active, is_deleted,
                    auto_winner, auto_winner_threshold, routing, geo,
                    enable_conversion_tracking, conversion_redirect_url,
                    created_at, updated_at, generation, stratum, version,
                    imported_clicks);
  }
};

struct variant_row {
  int64_t key = 0;
  uuid id;
  std::string label;
  std::string destination_url;
  int weight = 0;
  int is_winner = 0;
  int retired = 0;
  int position = 0;
  int64_t created_at = 0;

  variant_row() = default;
  explicit variant_row(const variant& x);
  variant get() const;
  auto columns() {
    return std::tie(key, id, label, destination_url, weight, is_winner, retired,
                    position, created_at);
  }
};

/// The value of each dimension, "unknown" for null.
using dimension_values = std::array<std::string, num_dimensions>;

/// Returns what an unattributed conversion has in each breakdown.
dimension_values unknown_values();

struct conversion_row {
  uuid id;
  int64_t link_key = 0;
  /// 0 means none.
  int64_t variant_key = 0;
  uuid click_id;
  std::string event_id;
  std::string value;
  std::string currency;
  int64_t occurred_at = 0;
  int64_t created_at = 0;
  dimension_values values;
};

/// Renders geo rules for storage; empty means nullopt.
std::string encode_geo(const std::optional<geo_rules>& x);

std::optional<geo_rules> decode_geo(const std::string& text);

/// Renders the weights of a stratum for storage.
std::string encode_weights(const stratum& x);

void decode_weights(const std::string& text, stratum& x);

/// Returns an e-mail address as it is compared.
std::string fold_email(const std::string& email);

/// Returns the first half of the lowest UUIDv7 that may belong to a moment: ids
/// of earlier milliseconds are below it.
int64_t first_id(timestamp from);

/// Returns the first half of the lowest UUIDv7 after a range that ends before
/// `until`.
int64_t end_id(timestamp until);

/// Returns what the dimensions of a click are; the country comes from the click
/// itself.
dimension_values values_of(const click& x, const dimension_values& classes);

} // namespace turnout::plugins
