#pragma once

#include "core/model.hpp"
#include "core/time.hpp"
#include "core/uuid.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace turnout {

/// Bytes of a user agent that are kept, also for the visitor's key.
inline constexpr size_t max_user_agent = 512;

/// A visit that was answered with a redirect and counts.
struct click {
  /// UUIDv7; its time is `created_at`.
  uuid id;
  row_key link_key = 0;
  row_key variant_key = 0;
  /// Stratum in force when the visit was routed.
  int stratum = 1;
  /// Whether the visit carried the sticky cookie: a click in every total, but
  /// not evidence for the winner.
  bool is_repeat = false;
  timestamp created_at;
  /// Keyed hash of address and user agent under the secret of the click's day.
  int64_t visitor = 0;
  /// Anonymised address as text, such as "8.8.8.0".
  std::string ip_address;
  /// At most 512 bytes, valid UTF-8.
  std::string user_agent;
  /// At most 2048 bytes, valid UTF-8; empty means null.
  std::string referrer;
  /// Upper-case ISO 3166-1 alpha-2; empty means null.
  std::string country;
};

/// Why a visit got its redirect but is not a click.
enum class exclusion : uint8_t { head, prefetch, preview, crawler };

/// Number of exclusion reasons.
inline constexpr size_t num_exclusions = 4;

/// Returns "head", "prefetch", "preview" or "crawler".
const char* to_string(exclusion x) noexcept;

/// A visit that was answered with a redirect and left out of the totals.
struct excluded_visit {
  row_key link_key = 0;
  exclusion reason = exclusion::head;
  timestamp created_at;
};

/// A request to record a conversion, from the pixel, the redirecting
/// conversion or the server call.
struct conversion_request {
  /// UUIDv7 of the conversion to be made.
  uuid id;
  /// None when only a click is named.
  uuid link_id;
  /// Explicit click, or the click of the link's cookie; none if neither.
  uuid click_id;
  /// Only for unattributed conversions of the server call.
  uuid variant_id;
  /// Keyed hashes of the caller's address and user agent under the secrets of
  /// the request's day and of the day before; 0 means not known.
  std::array<int64_t, 2> visitors{};
  /// Empty means none; unique within the link.
  std::string event_id;
  /// Decimal text, empty means none.
  std::string value;
  /// ISO 4217, empty means none.
  std::string currency;
  timestamp occurred_at;
  timestamp created_at;
  /// Whether a conversion without a click may be recorded; `click_id` is then
  /// a cookie's and need not be there.
  bool may_be_unattributed = false;
};

/// A recorded conversion.
struct conversion {
  uuid id;
  uuid link_id;
  /// None when it names no variant.
  uuid variant_id;
  std::string variant_label;
  /// None when it is unattributed.
  uuid click_id;
  std::string event_id;
  std::string value;
  std::string currency;
  timestamp occurred_at;
  timestamp created_at;
};

} // namespace turnout
