#pragma once

#include "core/time.hpp"
#include "storage/backend.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace turnout::plugins {

/// A range of clicks, cut into UTC days: whole ones have their numbers in the
/// roll-ups, and the partial ones at the ends must be counted.
struct click_days {
  /// A part of one day; empty when `from` is not before `until`.
  struct part {
    day_number day = 0;
    timestamp from;
    timestamp until;
  };

  /// First and last whole day; none when `first` is after `last`.
  day_number first = 0;
  day_number last = 0;
  /// At most two, oldest first.
  std::vector<part> parts;
};

/// Cuts a range whose open ends were replaced.
click_days cut_into_days(timestamp from, timestamp until);

/// The number of clicks of one day of a range.
struct day_clicks {
  day_number day = 0;
  int64_t clicks = 0;
};

/// Where a page begins.
struct page_start {
  /// Clicks of later days are on earlier pages.
  day_number day = 0;
  /// Clicks of this day and older ones to skip.
  int64_t skip = 0;
};

/// Skips whole days, so that a deep page costs at most one day. Returns nullopt
/// for pages after the last click.
/// @param days newest first.
std::optional<page_start> find_page(const std::vector<day_clicks>& days,
                                    int64_t offset);

/// Returns the day until which one has to go back to pass so many clicks,
/// nullopt when there are not as many.
/// @param days newest first; those after `from` do not count.
std::optional<day_number> find_end(const std::vector<day_clicks>& days,
                                   day_number from, int64_t clicks);

} // namespace turnout::plugins
