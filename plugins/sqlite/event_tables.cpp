#include "plugins/sqlite/event_tables.hpp"

#include "plugins/sqlite/many_rows.hpp"
#include "plugins/sqlite/recent_clicks.hpp"
#include "plugins/sqlite/sql.hpp"

#include <algorithm>
#include <string_view>

namespace turnout::sqlite {

using plugins::new_click;
using plugins::rollups;

event_tables::event_tables(plugins::connection& db)
  : x_db(db), x_raw(handle_of(db.session())) {
  // nop
}

std::unordered_map<row_key, row_key>
event_tables::links_of_variants(const std::set<row_key>& variant_keys) {
  std::unordered_map<row_key, row_key> result;
  statement find{x_raw, sql::link_of_variant};
  for (auto key : variant_keys) {
    find.bind(key);
    while (find.next())
      result.emplace(key, find.integer(0));
  }
  return result;
}

std::set<row_key>
event_tables::known_links(const std::set<row_key>& link_keys) {
  std::set<row_key> result;
  statement find{x_raw, sql::has_link};
  for (auto key : link_keys) {
    find.bind(key);
    while (find.next())
      result.insert(find.integer(0));
  }
  return result;
}

std::vector<bool>
event_tables::add_clicks(const std::vector<new_click>& clicks) {
  statement insert{x_raw, sql::add_click};
  std::vector<bool> result;
  result.reserve(clicks.size());
  for (const auto& [event, values] : clicks) {
    const auto& x = *event;
    const auto& [country, referrer, browser, device, system] = values;
    insert.bind(x.link_key, x.id, x.variant_key, x.stratum, x.is_repeat,
                to_micros(x.created_at), x.visitor, x.ip_address, x.user_agent,
                x.referrer, x.country, country, referrer, browser, device,
                system);
    result.push_back(insert.run() == 1);
  }
  return result;
}

size_t event_tables::max_recent() const {
  return recent_clicks::max_clicks;
}

void event_tables::add_sums(const rollups& sums,
                            const visitor_counts& uniques) {
  recent_clicks recent{x_raw};
  write(sums, recent.add(sums.recent, uniques));
  write(recent.settled(), recent.settled_uniques());
}

void event_tables::settle(row_key link_key) {
  settle({&link_key, 1});
}

void event_tables::settle_all() {
  std::vector<row_key> links;
  statement list{x_raw, sql::links_with_recent_clicks};
  while (list.next())
    links.push_back(list.integer(0));
  // Some at a time, as their sums are in memory.
  constexpr size_t some = 1000;
  for (std::span<const row_key> rest{links}; !rest.empty();) {
    const auto size = std::min(rest.size(), some);
    settle(rest.first(size));
    rest = rest.subspan(size);
  }
}

void event_tables::settle(std::span<const row_key> link_keys) {
  recent_clicks recent{x_raw};
  for (auto x : link_keys)
    recent.settle(x);
  write(recent.settled(), recent.settled_uniques());
}

void event_tables::write(const rollups& sums, const visitor_counts& uniques) {
  many_rows<row_key, row_key, int64_t, int64_t, int64_t> add_totals{
    x_raw, sql::add_variant_totals};
  for (const auto& [place, x] : sums.totals)
    add_totals(place.first, place.second, x.clicks, x.converted, x.conversions);
  add_totals.finish();
  many_rows<row_key, day_number, row_key, int64_t, int64_t, int64_t, int64_t>
    add_daily{x_raw, sql::add_daily};
  for (const auto& [place, x] : sums.daily) {
    const auto& [link_key, day, variant_key] = place;
    add_daily(link_key, day, variant_key, x.clicks, x.converted, x.conversions,
              x.unattributed);
  }
  add_daily.finish();
  many_rows<row_key, day_number, int64_t> add_visitors{x_raw,
                                                       sql::add_daily_visitors};
  for (const auto& [place, count] : uniques)
    add_visitors(place.first, place.second, count);
  add_visitors.finish();
  many_rows<row_key, int, day_number, std::string_view, int64_t, int64_t>
    add_values{x_raw, sql::add_daily_values};
  for (const auto& [place, x] : sums.values) {
    const auto& [link_key, dimension, day, value] = place;
    add_values(link_key, dimension, day, value, x.clicks, x.conversions);
  }
  add_values.finish();
  many_rows<row_key, day_number, int, int64_t> add_excluded{
    x_raw, sql::add_daily_excluded};
  for (const auto& [place, visits] : sums.excluded) {
    const auto& [link_key, day, reason] = place;
    add_excluded(link_key, day, reason, visits);
  }
  add_excluded.finish();
  many_rows<row_key, int, row_key, int64_t, int64_t> add_evidence{
    x_raw, sql::add_evidence};
  for (const auto& [place, x] : sums.evidence) {
    const auto& [link_key, stratum, variant_key] = place;
    add_evidence(link_key, stratum, variant_key, x.clicks, x.conversions);
  }
  add_evidence.finish();
}

event_tables::visitor_counts
event_tables::add_visitors(const rollups::visits& visits) {
  visitor_counts result;
  statement add_visitor{x_raw, sql::add_visitor};
  statement update_visitor{x_raw, sql::update_visitor};
  for (const auto& [place, visit] : visits) {
    const auto& [day, link_key, visitor] = place;
    add_visitor.bind(day, link_key, visitor, visit.click_id);
    if (add_visitor.run() == 1) {
      ++result[{link_key, day}];
    } else {
      update_visitor.bind(visit.click_id, day, link_key, visitor);
      update_visitor.run();
    }
  }
  return result;
}

void event_tables::forget_visitors(day_number day) {
  x_db.run(sql::forget_visitors, day);
}

std::vector<storage::link_totals>
event_tables::totals(const std::set<row_key>& link_keys, scope of) {
  std::vector<storage::link_totals> result;
  statement asks{x_raw, sql::asks_for_winner};
  statement read{x_raw, sql::totals_of_link};
  for (auto key : link_keys) {
    if (of == scope::asking) {
      auto is_asking = false;
      asks.bind(key);
      while (asks.next())
        is_asking = asks.integer(0) != 0;
      if (!is_asking)
        continue;
    }
    auto& totals = result.emplace_back();
    std::vector<std::pair<int64_t, variant_totals>> found;
    read.bind(key);
    while (read.next()) {
      totals.link_id = read.id(0);
      found.push_back(
        {read.integer(7),
         {read.id(2), read.integer(4), read.integer(6), read.integer(5)}});
      totals.auto_winner = read.integer(8) != 0;
      totals.version = read.integer(9);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](auto& x, auto& y) { return x.first < y.first; });
    for (const auto& [place, x] : found)
      totals.variants.emplace_back(x);
  }
  return result;
}

} // namespace turnout::sqlite
