#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnout {

/// A moment in UTC with microseconds, as stored. Answers show milliseconds.
using timestamp = std::chrono::time_point<std::chrono::system_clock,
                                          std::chrono::microseconds>;

/// A UTC day, as its number since 1970-01-01.
using day_number = int32_t;

/// Returns microseconds since the Unix epoch.
constexpr int64_t to_micros(timestamp t) noexcept {
  return t.time_since_epoch().count();
}

/// Returns the moment that lies `us` microseconds after the Unix epoch.
constexpr timestamp from_micros(int64_t us) noexcept {
  return timestamp{std::chrono::microseconds{us}};
}

/// Returns the current time of the system clock.
inline timestamp now() noexcept {
  return std::chrono::time_point_cast<std::chrono::microseconds>(
    std::chrono::system_clock::now());
}

/// Returns the UTC day of a moment; rounds down before 1970 too.
constexpr day_number day_of(timestamp t) noexcept {
  return static_cast<day_number>(
    std::chrono::floor<std::chrono::days>(t).time_since_epoch().count());
}

/// Returns the first moment of a UTC day.
constexpr timestamp start_of(day_number day) noexcept {
  return timestamp{std::chrono::days{day}};
}

/// Renders as `2026-11-27T21:58:57.123Z`.
std::string to_iso8601(timestamp t);

/// Renders with all that is stored: `2026-11-27T21:58:57.123456Z`.
std::string to_iso8601_micros(timestamp t);

/// Renders a day as `2026-11-27`.
std::string to_iso_date(day_number day);

/// What a date or date-time parameter said.
struct date_or_time {
  /// The moment; the start of the day for a date.
  timestamp at;
  /// Whether only a date was given.
  bool date_only;
};

/// Parses `YYYY-MM-DD`, or an ISO 8601 date-time with seconds and fraction
/// optional and zone `Z`, `+hh:mm` or `-hh:mm` (no zone means UTC). Days that
/// do not exist, years outside 1970-9999 and anything else give nullopt.
std::optional<date_or_time> parse_date_or_time(std::string_view text);

} // namespace turnout
