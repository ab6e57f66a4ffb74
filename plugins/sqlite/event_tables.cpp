#include "plugins/sqlite/event_tables.hpp"

#include "plugins/sqlite/many_rows.hpp"
#include "plugins/sqlite/packed_clicks.hpp"
#include "plugins/sqlite/sql.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace turnout::sqlite {

using plugins::click_fate;
using plugins::new_click;
using plugins::rollups;

namespace {

/// How many recent clicks a batch settles at least, when it is time.
constexpr int64_t min_settled = 500;

/// How many a transaction for nothing else settles.
constexpr int64_t many_settled = 20'000;

/// How many links of a batch may want a winner before there are to be fewer
/// recent clicks, which the batch reads for each of them.
constexpr size_t many_asking = 100;

/// The totals of a variant, and its place among those of the link.
struct placed_totals {
  int64_t place = 0;
  row_key variant_key = 0;
  variant_totals totals;
};

} // namespace

event_tables::event_tables(plugins::connection& db, statement_cache& statements,
                           memory& known)
  : x_db(db),
    x_statements(statements),
    x_known(known),
    x_runs(x_statements, known.runs) {
  // nop
}

std::vector<row_key>
event_tables::links_of_variants(const std::vector<row_key>& variant_keys) {
  return x_known.variants.of(variant_keys, x_statements);
}

std::set<row_key>
event_tables::known_links(const std::set<row_key>& link_keys) {
  std::set<row_key> result;
  statement find{x_statements, sql::has_link};
  for (auto key : link_keys) {
    find.bind(key);
    while (find.next())
      result.insert(find.integer(0));
  }
  return result;
}

void event_tables::begin(const storage::event_batch& batch) {
  x_runs.begin(batch);
}

std::vector<click_fate>
event_tables::add_clicks(const std::vector<new_click>& clicks) {
  return x_runs.add(clicks);
}

std::vector<uuid> event_tables::index_clicks(std::vector<uuid>) {
  return x_runs.index();
}

void event_tables::end() {
  x_runs.end();
  settling rest{x_statements};
  // A clock that runs ahead must not have all settled again and again.
  if (rest.is_due(std::min(x_runs.newest_day(), day_of(now())),
                  x_num_asking > many_asking)
      && settle(rest, std::max(x_runs.num_recent() * 11 / 10, min_settled)))
    x_known.runs.recent.clear();
}

void event_tables::committed() {
  x_runs.committed();
}

bool event_tables::settle_some(day_number day) {
  settling rest{x_statements};
  if (!rest.is_left(day))
    return false;
  settle(rest, many_settled);
  return true;
}

bool event_tables::settle(settling& rest, int64_t clicks) {
  rollups sums;
  const auto is_end = rest.next(clicks, sums);
  add_sums(sums, add_visitors(sums.visitors));
  return is_end;
}

day_number event_tables::first_recent_day() {
  return settling{x_statements}.oldest_day();
}

void event_tables::add_sums(const rollups& sums,
                            const visitor_counts& uniques) {
  many_rows<row_key, row_key, int64_t, int64_t, int64_t> add_totals{
    x_statements, sql::add_variant_totals};
  for (const auto& [place, x] : sums.totals)
    add_totals(place.first, place.second, x.clicks, x.converted, x.conversions);
  add_totals.finish();
  many_rows<row_key, day_number, row_key, int64_t, int64_t, int64_t, int64_t>
    add_daily{x_statements, sql::add_daily};
  for (const auto& [place, x] : sums.daily) {
    const auto& [link_key, day, variant_key] = place;
    add_daily(link_key, day, variant_key, x.clicks, x.converted, x.conversions,
              x.unattributed);
  }
  add_daily.finish();
  many_rows<row_key, day_number, int64_t> add_visitors{x_statements,
                                                       sql::add_daily_visitors};
  for (const auto& [place, count] : uniques)
    add_visitors(place.first, place.second, count);
  add_visitors.finish();
  many_rows<row_key, int, day_number, std::string_view, int64_t, int64_t>
    add_values{x_statements, sql::add_daily_values};
  for (const auto& [place, x] : sums.values) {
    const auto& [link_key, dimension, day, value] = place;
    add_values(link_key, dimension, day, value, x.clicks, x.conversions);
  }
  add_values.finish();
  many_rows<row_key, day_number, int, int64_t> add_excluded{
    x_statements, sql::add_daily_excluded};
  for (const auto& [place, visits] : sums.excluded) {
    const auto& [link_key, day, reason] = place;
    add_excluded(link_key, day, reason, visits);
  }
  add_excluded.finish();
  many_rows<row_key, int, row_key, int64_t, int64_t> add_evidence{
    x_statements, sql::add_evidence};
  for (const auto& [place, x] : sums.evidence) {
    const auto& [link_key, stratum, variant_key] = place;
    add_evidence(link_key, stratum, variant_key, x.clicks, x.conversions);
  }
  add_evidence.finish();
}

event_tables::visitor_counts
event_tables::add_visitors(const rollups::visits& visits) {
  visitor_counts result;
  statement add_visitor{x_statements, sql::add_visitor};
  statement update_visitor{x_statements, sql::update_visitor};
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
  if (link_keys.empty())
    return result;
  std::unordered_set<row_key> asking;
  if (of == scope::asking) {
    statement list{x_statements, sql::links_asking_for_winner};
    list.bind(*link_keys.begin(), *link_keys.rbegin());
    while (list.next())
      asking.insert(list.integer(0));
  }
  statement read{x_statements, sql::totals_of_link};
  statement recent{x_statements, sql::recent_clicks_of_link};
  for (auto key : link_keys) {
    if (of == scope::asking && !asking.contains(key))
      continue;
    auto& totals = result.emplace_back();
    std::vector<placed_totals> found;
    read.bind(key);
    while (read.next()) {
      totals.link_id = read.id(0);
      found.push_back(
        {read.integer(7),
         read.integer(10),
         {read.id(2), read.integer(4), read.integer(6), read.integer(5)}});
      totals.auto_winner = read.integer(8) != 0;
      totals.version = read.integer(9);
    }
    recent.bind(key);
    while (recent.next()) {
      each_click(recent.bytes(0), [&](const packed_click& x) {
        for (auto& y : found)
          if (y.variant_key == x.variant_key)
            ++y.totals.clicks;
      });
    }
    std::stable_sort(found.begin(), found.end(),
                     [](auto& x, auto& y) { return x.place < y.place; });
    for (const auto& x : found)
      totals.variants.emplace_back(x.totals);
  }
  if (of == scope::asking)
    x_num_asking = result.size();
  return result;
}

} // namespace turnout::sqlite
