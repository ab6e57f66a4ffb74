#pragma once

#include "plugins/sql/rows.hpp"

#include <map>
#include <memory_resource>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace turnout::plugins {

/// A click to be stored, and its place in the breakdowns.
struct new_click {
  const click* event;
  dimension_values values;
};

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
  /// Over all days, by link and variant.
  std::pmr::map<std::pair<row_key, row_key>, day_counts> totals{&x_memory};
  std::pmr::map<day_place, day_counts> daily{&x_memory};
  std::pmr::map<value_place, counts, value_order> values{&x_memory};
  std::pmr::map<excluded_place, int64_t> excluded{&x_memory};
  std::pmr::map<evidence_place, counts> evidence{&x_memory};
  visits visitors{&x_memory};
  /// Links whose totals change.
  std::set<row_key> links;

  /// Adds a click to all sums.
  void add_click(const new_click& x);

  /// Adds that a link has a click that is in no sum until `settle`.
  void add_recent(const click& x);

  /// Adds a recent click to all sums.
  /// @param value returns the value in a dimension
  template <class F>
  void settle(const click& x, F value) {
    const auto day = day_of(x.created_at);
    ++totals[{x.link_key, x.variant_key}].clicks;
    ++daily[{x.link_key, day, x.variant_key}].clicks;
    for (size_t i = 0; i < num_dimensions; ++i)
      ++values_at({x.link_key, static_cast<int>(i), day, value(i)}).clicks;
    add_undated(x);
  }

  void add_excluded(const excluded_visit& x);

  /// Adds a conversion, on the day it was created.
  void add_conversion(const conversion_row& x);

  /// Adds that a click converted for the first time, on the click's day.
  void add_converted(row_key link_key, row_key variant_key, int stratum,
                     bool is_repeat, timestamp clicked_at);

  /// Returns the newest day with a click that was added, 0 without clicks.
  day_number newest_day() const noexcept {
    return x_newest_day;
  }

private:
  using value_view = std::tuple<row_key, int, day_number, std::string_view>;

  counts& values_at(const value_view& place);

  /// Adds to the evidence and the visitors.
  void add_undated(const click& x);

  day_number x_newest_day = 0;

  /// The sums of a variant on a day, which its totals follow.
  template <class F>
  void change_day(row_key link_key, day_number day, row_key variant_key,
                  F change) {
    links.insert(link_key);
    change(totals[{link_key, variant_key}]);
    change(daily[{link_key, day, variant_key}]);
  }
};

} // namespace turnout::plugins
