#pragma once

#include "core/event.hpp"
#include "core/model.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace turnout {

/// One row of the list operation.
struct link_summary {
  uuid id;
  std::string slug;
  std::string name;
  bool is_active = true;
  routing_type routing = routing_type::ab_test;
  timestamp created_at;
  int64_t total_clicks = 0;
  int64_t total_conversions = 0;
  std::string top_variant;
};

/// A page of links with the number of all links of the account.
struct link_page {
  std::vector<link_summary> items;
  int64_t total = 0;
};

/// A click as the click list shows it.
struct click_row {
  uuid id;
  uuid variant_id;
  std::string ip_address;
  std::string user_agent;
  std::string referrer;
  std::string country;
  bool is_conversion = false;
  timestamp created_at;
};

/// A page of clicks with the number of all clicks of the range.
struct click_page {
  std::vector<click_row> items;
  int64_t total = 0;
};

/// What a breakdown of clicks is by.
enum class dimension : uint8_t { country, referrer, browser, device, system };

/// Number of dimensions.
inline constexpr size_t num_dimensions = 5;

/// Returns "country", "referrer", "browser", "device" or "system".
const char* to_string(dimension x) noexcept;

/// One value of a breakdown; "unknown" stands for null.
struct breakdown_row {
  std::string value;
  int64_t clicks = 0;
  int64_t conversions = 0;
};

/// Totals of one UTC day.
struct day_row {
  day_number day = 0;
  int64_t clicks = 0;
  int64_t conversions = 0;
};

/// Everything the analytics operation shows of one link, but rates.
struct analytics_report {
  link subject;
  day_number from = 0;
  day_number to = 0;
  int64_t unique_visitors = 0;
  /// All conversions without a click, whether they name a variant or not.
  int64_t unattributed_conversions = 0;
  /// Only days with something to show, oldest first.
  std::vector<day_row> days;
  /// One per variant, retired ones included; the id "none" holds the
  /// conversions that name no variant.
  std::vector<variant_totals> variants;
  /// Newest 100 of the range, newest first.
  std::vector<conversion> conversions;
  /// By dimension: the 10 values with most clicks.
  std::array<std::vector<breakdown_row>, num_dimensions> top;
  /// By exclusion reason.
  std::array<int64_t, num_exclusions> excluded{};
};

} // namespace turnout
