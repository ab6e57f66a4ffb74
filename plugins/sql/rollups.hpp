#pragma once

#include "plugins/sql/rows.hpp"

#include <map>
#include <memory_resource>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

namespace turnout::plugins {

/// What events add to the roll-ups, summed up in memory so that the store is
/// written once per row. Sorted the way the tables are, as neighbours share
/// pages.
class rollups {
public:
  struct day_counts {
    int64_t clicks = 0;
    /// Clicks of this day that converted, on whichever day.
    int64_t converted = 0;
    /// Conversions that were created on this day.
    int64_t conversions = 0;
    /// Those of the conversions that have no click.
    int64_t unattributed = 0;
  };

  struct counts {
    int64_t clicks = 0;
    int64_t conversions = 0;
  };

  struct visit {
    timestamp at;
    uuid click_id;
  };

  /// Link, day, variant (0: none).
  using day_place = std::tuple<row_key, day_number, row_key>;

  /// Link, dimension, day, value.
  using value_place = std::tuple<row_key, int, day_number, std::string>;

  /// Orders places of values, also such whose value is a view.
  struct value_order {
    using is_transparent = void;

    template <class X, class Y>
    bool operator()(const X& x, const Y& y) const {
      return key(x) < key(y);
    }

    template <class X>
    static auto key(const X& x) {
      return std::tuple{std::get<0>(x), std::get<1>(x), std::get<2>(x),
                        std::string_view{std::get<3>(x)}};
    }
  };

  /// Link, day, reason.
  using excluded_place = std::tuple<row_key, day_number, int>;

  /// Link, stratum, variant.
  using evidence_place = std::tuple<row_key, int, row_key>;

  /// Day, link, visitor.
  using visitor_place = std::tuple<day_number, row_key, int64_t>;

  /// The newest click of each visitor.
  using visits = std::pmr::map<visitor_place, visit>;

private:
  // Before the maps, which live in it.
  std::pmr::monotonic_buffer_resource x_memory;

public:
  std::pmr::map<day_place, day_counts> daily{&x_memory};
  std::pmr::map<value_place, counts, value_order> values{&x_memory};
  std::pmr::map<excluded_place, int64_t> excluded{&x_memory};
  std::pmr::map<evidence_place, counts> evidence{&x_memory};
  visits visitors{&x_memory};
  /// Links whose totals change.
  std::set<row_key> links;

  void add_click(const click& x, const dimension_values& values);

  void add_excluded(const excluded_visit& x);

  /// Adds a conversion, on the day it was created.
  void add_conversion(const conversion_row& x);

  /// Adds that a click converted for the first time, on the click's day.
  void add_converted(row_key link_key, row_key variant_key, int stratum,
                     bool is_repeat, timestamp clicked_at);

  /// Returns the sums over all days, by link and variant.
  std::map<std::pair<row_key, row_key>, day_counts> totals() const;

  /// Returns the newest day with a click, 0 without clicks.
  day_number newest_day() const noexcept;
};

} // namespace turnout::plugins
