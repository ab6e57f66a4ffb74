#include "plugins/sql/rollups.hpp"

namespace turnout::plugins {

void rollups::add_click(const click& x, const dimension_values& classes) {
  auto day = day_of(x.created_at);
  links.insert(x.link_key);
  ++daily[{x.link_key, day, x.variant_key}].clicks;
  for (size_t i = 0; i < num_dimensions; ++i) {
    // Most are there already: no string is made to find them.
    const auto dimension = static_cast<int>(i);
    const std::tuple<row_key, int, day_number, std::string_view> place{
      x.link_key, dimension, day, classes[i]};
    auto at = values.lower_bound(place);
    if (at == values.end() || value_order{}(place, at->first))
      at = values.emplace_hint(
        at, value_place{x.link_key, dimension, day, classes[i]}, counts{});
    ++at->second.clicks;
  }
  if (!x.is_repeat)
    ++evidence[{x.link_key, x.stratum, x.variant_key}].clicks;
  auto [i, added] = visitors.try_emplace({day, x.link_key, x.visitor},
                                         visit{x.created_at, x.id});
  if (!added
      && std::tie(i->second.at, i->second.click_id)
           < std::tie(x.created_at, x.id))
    i->second = {x.created_at, x.id};
}

void rollups::add_excluded(const excluded_visit& x) {
  ++excluded[{x.link_key, day_of(x.created_at), static_cast<int>(x.reason)}];
}

void rollups::add_conversion(const conversion_row& x) {
  auto day = day_of(from_micros(x.created_at));
  links.insert(x.link_key);
  auto& sums = daily[{x.link_key, day, x.variant_key}];
  ++sums.conversions;
  if (!x.click_id)
    ++sums.unattributed;
  for (size_t i = 0; i < num_dimensions; ++i)
    ++values[{x.link_key, static_cast<int>(i), day, x.values[i]}].conversions;
}

void rollups::add_converted(row_key link_key, row_key variant_key, int stratum,
                            bool is_repeat, timestamp clicked_at) {
  links.insert(link_key);
  ++daily[{link_key, day_of(clicked_at), variant_key}].converted;
  if (!is_repeat)
    ++evidence[{link_key, stratum, variant_key}].conversions;
}

std::map<std::pair<row_key, row_key>, rollups::day_counts>
rollups::totals() const {
  std::map<std::pair<row_key, row_key>, day_counts> result;
  for (const auto& [place, sums] : daily) {
    auto& total = result[{std::get<0>(place), std::get<2>(place)}];
    total.clicks += sums.clicks;
    total.converted += sums.converted;
    total.conversions += sums.conversions;
    total.unattributed += sums.unattributed;
  }
  return result;
}

day_number rollups::newest_day() const noexcept {
  return visitors.empty() ? 0 : std::get<0>(visitors.rbegin()->first);
}

} // namespace turnout::plugins
