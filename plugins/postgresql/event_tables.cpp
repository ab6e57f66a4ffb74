#include "plugins/postgresql/event_tables.hpp"

#include "plugins/postgresql/arrays.hpp"
#include "plugins/postgresql/partitions.hpp"
#include "plugins/postgresql/sql.hpp"

#include <algorithm>
#include <array>

namespace turnout::postgresql {

using plugins::click_fate;
using plugins::new_click;
using plugins::rollups;

namespace {

/// The columns of rows that are written at once.
template <size_t N>
class columns {
public:
  /// Adds a row.
  template <class... Ts>
  void add(const Ts&... values) {
    static_assert(sizeof...(Ts) == N);
    size_t i = 0;
    (x_columns[i++].add(values), ...);
    ++x_rows;
  }

  bool empty() const noexcept {
    return x_rows == 0;
  }

  /// Executes a statement with the columns as parameters.
  int64_t run(plugins::connection& db, const char* sql) {
    if (empty())
      return 0;
    return apply([&](const auto&... xs) { return db.run(sql, xs...); });
  }

  /// Calls `f` with the columns as texts.
  template <class F>
  decltype(auto) apply(F f) {
    return std::apply([&](auto&... xs) { return f(xs.text()...); }, x_columns);
  }

private:
  std::array<array_text, N> x_columns;
  size_t x_rows = 0;
};

int64_t high(const uuid& x) {
  return static_cast<int64_t>(x.hi);
}

int64_t low(const uuid& x) {
  return static_cast<int64_t>(x.lo);
}

template <class Keys>
array_text array_of(const Keys& keys) {
  array_text result;
  for (auto key : keys)
    result.add(key);
  return result;
}

} // namespace

std::vector<row_key>
event_tables::links_of_variants(const std::vector<row_key>& variant_keys) {
  std::vector<row_key> result(variant_keys.size());
  if (variant_keys.empty())
    return result;
  row_key variant = 0;
  row_key link = 0;
  x_db.each(
    sql::links_of_variants, std::tie(variant, link),
    [&] {
      const auto i
        = std::lower_bound(variant_keys.begin(), variant_keys.end(), variant);
      result[static_cast<size_t>(i - variant_keys.begin())] = link;
    },
    array_of(variant_keys).text());
  return result;
}

std::set<row_key>
event_tables::known_links(const std::set<row_key>& link_keys) {
  std::set<row_key> result;
  if (link_keys.empty())
    return result;
  row_key link = 0;
  x_db.each(
    sql::known_links, std::tie(link), [&] { result.insert(link); },
    array_of(link_keys).text());
  return result;
}

std::vector<click_fate>
event_tables::add_clicks(const std::vector<new_click>& clicks) {
  std::vector<click_fate> result(clicks.size(), click_fate::stored_before);
  if (clicks.empty())
    return result;
  columns<17> rows;
  for (const auto& [event, values] : clicks) {
    const auto& x = *event;
    const auto& [country, referrer, browser, device, system] = values;
    rows.add(x.link_key, high(x.id), low(x.id), x.variant_key, x.stratum,
             static_cast<int>(x.is_repeat), to_micros(x.created_at), x.visitor,
             x.ip_address, x.user_agent, x.referrer, x.country, country,
             referrer, browser, device, system);
  }
  std::set<uuid> added;
  uuid id;
  rows.apply([&](const auto&... xs) {
    x_db.each(
      sql::add_clicks, std::tie(id), [&] { added.insert(id); }, xs...);
  });
  // Of two clicks with one id the first is the one that was added.
  for (size_t i = 0; i < clicks.size(); ++i)
    if (added.erase(clicks[i].event->id) == 1)
      result[i] = click_fate::stored;
  return result;
}

void event_tables::add_sums(const rollups& sums,
                            const visitor_counts& uniques) {
  columns<5> totals;
  for (const auto& [place, x] : sums.totals)
    totals.add(place.first, place.second, x.clicks, x.converted, x.conversions);
  totals.run(x_db, sql::add_variant_totals);
  columns<7> daily;
  for (const auto& [place, x] : sums.daily) {
    const auto& [link_key, day, variant_key] = place;
    daily.add(link_key, day, variant_key, x.clicks, x.converted, x.conversions,
              x.unattributed);
  }
  daily.run(x_db, sql::add_daily);
  columns<3> daily_visitors;
  for (const auto& [place, count] : uniques)
    daily_visitors.add(place.first, place.second, count);
  daily_visitors.run(x_db, sql::add_daily_visitors);
  columns<6> daily_values;
  for (const auto& [place, x] : sums.values) {
    const auto& [link_key, dimension, day, value] = place;
    daily_values.add(link_key, dimension, day, value, x.clicks, x.conversions);
  }
  daily_values.run(x_db, sql::add_daily_values);
  columns<4> excluded;
  for (const auto& [place, visits] : sums.excluded) {
    const auto& [link_key, day, reason] = place;
    excluded.add(link_key, day, reason, visits);
  }
  excluded.run(x_db, sql::add_daily_excluded);
  columns<5> evidence;
  for (const auto& [place, x] : sums.evidence) {
    const auto& [link_key, stratum, variant_key] = place;
    evidence.add(link_key, stratum, variant_key, x.clicks, x.conversions);
  }
  evidence.run(x_db, sql::add_evidence);
}

event_tables::visitor_counts
event_tables::add_visitors(const rollups::visits& visits) {
  visitor_counts result;
  columns<5> all;
  for (const auto& [place, visit] : visits) {
    const auto& [day, link_key, visitor] = place;
    all.add(link_key, visitor, day, high(visit.click_id), low(visit.click_id));
  }
  if (all.empty())
    return result;
  std::set<rollups::visitor_place> added;
  auto day = day_number{};
  row_key link_key = 0;
  int64_t visitor = 0;
  all.apply([&](const auto&... xs) {
    x_db.each(
      sql::add_visitors, std::tie(day, link_key, visitor),
      [&] {
        added.emplace(day, link_key, visitor);
        ++result[{link_key, day}];
      },
      xs...);
  });
  columns<5> known;
  for (const auto& [place, visit] : visits) {
    if (!added.contains(place))
      known.add(std::get<1>(place), std::get<2>(place), std::get<0>(place),
                high(visit.click_id), low(visit.click_id));
  }
  known.run(x_db, sql::update_visitors);
  return result;
}

void event_tables::forget_visitors(day_number day) {
  // Emptied, not dropped: that would lock the whole table.
  for (const auto& x : list_partitions(x_db, visitors_table))
    if (x.first < day)
      x_db.run_once("TRUNCATE " + x.name);
}

std::vector<storage::link_totals>
event_tables::totals(const std::set<row_key>& link_keys, scope of) {
  std::vector<storage::link_totals> result;
  if (link_keys.empty())
    return result;
  const auto least_auto_winner = of == scope::asking ? 1 : 0;
  row_key last = 0;
  row_key link_key = 0;
  uuid link_id;
  auto auto_winner = 0;
  int64_t version = 0;
  variant_totals x;
  auto place = 0;
  x_db.each(
    sql::totals_of_links,
    std::tie(link_key, link_id, auto_winner, version, x.variant_id, x.clicks,
             x.converted, x.conversions, place),
    [&] {
      if (link_key != last) {
        last = link_key;
        auto& totals = result.emplace_back();
        totals.link_id = link_id;
        totals.auto_winner = auto_winner != 0;
        totals.version = version;
      }
      result.back().variants.emplace_back(x);
    },
    array_of(link_keys).text(), least_auto_winner);
  return result;
}

} // namespace turnout::postgresql
