#include "core/routing.hpp"

#include <algorithm>

namespace turnout {

namespace {

/// Packs a country code of two characters; 0 for anything else.
uint16_t pack(std::string_view country) noexcept {
  if (country.size() != 2)
    return 0;
  return static_cast<uint16_t>(static_cast<uint8_t>(country[0]) << 8
                               | static_cast<uint8_t>(country[1]));
}

bool by_country(const std::pair<uint16_t, int>& a,
                const std::pair<uint16_t, int>& b) noexcept {
  return a.first < b.first;
}

int index_of_label(const std::vector<variant>& xs, std::string_view label) {
  for (size_t i = 0; i < xs.size(); ++i)
    if (!xs[i].retired && xs[i].label == label)
      return static_cast<int>(i);
  return -1;
}

} // namespace

routing_table::routing_table(const link& x) {
  x_entries.reserve(x.variants.size());
  for (size_t i = 0; i < x.variants.size(); ++i) {
    const auto& v = x.variants[i];
    // Retired variants take no traffic, whatever their weight says.
    if (v.retired)
      continue;
    if (v.is_winner)
      x_winner = static_cast<int>(i);
    if (v.weight > 0) {
      x_total += static_cast<uint32_t>(v.weight);
      x_entries.push_back({v.id, static_cast<int>(i), x_total});
    }
  }
  x_is_geo = x.routing == routing_type::geo && x.geo.has_value();
  if (!x_is_geo)
    return;
  for (const auto& [country, label] : *x.geo) {
    auto index = index_of_label(x.variants, label);
    // A rule that names an unknown label is as good as no rule: its visitors
    // get the default.
    if (index < 0)
      continue;
    if (country == "default")
      x_default = index;
    else if (auto key = pack(country); key != 0)
      x_by_country.emplace_back(key, index);
  }
  // The first rule of a country counts.
  std::stable_sort(x_by_country.begin(), x_by_country.end(), by_country);
}

int routing_table::choose(std::string_view country, const uuid& sticky,
                          uint32_t draw) const noexcept {
  if (x_winner >= 0)
    return x_winner;
  if (x_is_geo) {
    const std::pair<uint16_t, int> wanted{pack(country), 0};
    const auto i = std::lower_bound(x_by_country.begin(), x_by_country.end(),
                                    wanted, by_country);
    if (i != x_by_country.end() && i->first == wanted.first)
      return i->second;
    if (x_default >= 0)
      return x_default;
    // Without a usable default the weights are the next best thing.
  }
  if (x_entries.empty())
    return -1;
  if (sticky && !x_is_geo)
    for (const auto& x : x_entries)
      if (x.id == sticky)
        return x.index;
  // Scales the draw to [0, total) without the bias and cost of a division.
  auto point = static_cast<uint32_t>((uint64_t{draw} * x_total) >> 32);
  for (const auto& x : x_entries)
    if (point < x.until)
      return x.index;
  return x_entries.back().index;
}

} // namespace turnout
