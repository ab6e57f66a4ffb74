#include "plugins/sql/rollups.hpp"

#include <algorithm>

namespace turnout::plugins {

void rollups::add_click(const new_click& x) {
  add_recent(*x.event);
  settle(*x.event, [&](size_t i) -> std::string_view { return x.values[i]; });
}

void rollups::add_recent(const click& x) {
  // Clicks come link by link, so that most of these are the last.
  links.insert(links.end(), x.link_key);
  x_newest_day = std::max(x_newest_day, day_of(x.created_at));
}

void rollups::add_undated(const click& x) {
  if (!x.is_repeat)
    ++evidence[{x.link_key, x.stratum, x.variant_key}].clicks;
  auto [i, added] = visitors.try_emplace(
    {day_of(x.created_at), x.link_key, x.visitor}, visit{x.created_at, x.id});
  if (!added
      && std::tie(i->second.at, i->second.click_id)
           < std::tie(x.created_at, x.id))
    i->second = {x.created_at, x.id};
}

rollups::counts& rollups::values_at(const value_view& place) {
  // Most are there already: no string is made to find them.
  auto at = values.lower_bound(place);
  if (at == values.end() || value_order{}(place, at->first)) {
    const auto& [link_key, dimension, day, value] = place;
    at = values.emplace_hint(
      at, value_place{link_key, dimension, day, std::string{value}}, counts{});
  }
  return at->second;
}

void rollups::add_excluded(const excluded_visit& x) {
  ++excluded[{x.link_key, day_of(x.created_at), static_cast<int>(x.reason)}];
}

void rollups::add_conversion(const conversion_row& x) {
  auto day = day_of(from_micros(x.created_at));
  change_day(x.link_key, day, x.variant_key, [&](day_counts& sums) {
    ++sums.conversions;
    if (!x.click_id)
      ++sums.unattributed;
  });
  for (size_t i = 0; i < num_dimensions; ++i)
    ++values_at({x.link_key, static_cast<int>(i), day, x.values[i]})
        .conversions;
}

void rollups::add_converted(row_key link_key, row_key variant_key, int stratum,
                            bool is_repeat, timestamp clicked_at) {
  change_day(link_key, day_of(clicked_at), variant_key,
             [](day_counts& sums) { ++sums.converted; });
  if (!is_repeat)
    ++evidence[{link_key, stratum, variant_key}].conversions;
}

} // namespace turnout::plugins
