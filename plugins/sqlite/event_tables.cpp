#include "plugins/sqlite/event_tables.hpp"

#include "plugins/sqlite/many_rows.hpp"
#include "plugins/sqlite/sql.hpp"

#include <algorithm>

namespace turnout::sqlite {

using plugins::bound_query;
using plugins::bound_statement;
using plugins::new_click;
using plugins::rollups;

std::unordered_map<row_key, row_key>
event_tables::links_of_variants(const std::set<row_key>& variant_keys) {
  std::unordered_map<row_key, row_key> result;
  bound_query<std::tuple<row_key>, row_key> find{x_db, sql::link_of_variant};
  for (auto key : variant_keys)
    find.each(key, [&](row_key link) { result.emplace(key, link); });
  return result;
}

std::set<row_key>
event_tables::known_links(const std::set<row_key>& link_keys) {
  std::set<row_key> result;
  bound_query<std::tuple<row_key>, row_key> find{x_db, sql::has_link};
  for (auto key : link_keys)
    find.each(key, [&](row_key link) { result.insert(link); });
  return result;
}

std::vector<bool>
event_tables::add_clicks(const std::vector<new_click>& clicks) {
  bound_statement<row_key, uuid, row_key, int, int, int64_t, int64_t,
                  std::string, std::string, std::string, std::string,
                  std::string, std::string, std::string, std::string,
                  std::string>
    insert{x_db, sql::add_click};
  std::vector<bool> result;
  result.reserve(clicks.size());
  for (const auto& [event, values] : clicks) {
    const auto& x = *event;
    const auto& [country, referrer, browser, device, system] = values;
    result.push_back(insert(x.link_key, x.id, x.variant_key, x.stratum,
                            x.is_repeat, to_micros(x.created_at), x.visitor,
                            x.ip_address, x.user_agent, x.referrer, x.country,
                            country, referrer, browser, device, system)
                     == 1);
  }
  return result;
}

void event_tables::add_sums(const rollups& sums) {
  many_rows<row_key, row_key, int64_t, int64_t, int64_t> add_totals{
    x_db, sql::add_variant_totals};
  for (const auto& [place, x] : sums.totals())
    add_totals(place.first, place.second, x.clicks, x.converted, x.conversions);
  add_totals.finish();
  many_rows<row_key, day_number, row_key, int64_t, int64_t, int64_t, int64_t>
    add_daily{x_db, sql::add_daily};
  for (const auto& [place, x] : sums.daily) {
    const auto& [link_key, day, variant_key] = place;
    add_daily(link_key, day, variant_key, x.clicks, x.converted, x.conversions,
              x.unattributed);
  }
  add_daily.finish();
  many_rows<row_key, int, day_number, std::string, int64_t, int64_t> add_values{
    x_db, sql::add_daily_values};
  for (const auto& [place, x] : sums.values) {
    const auto& [link_key, dimension, day, value] = place;
    add_values(link_key, dimension, day, value, x.clicks, x.conversions);
  }
  add_values.finish();
  bound_statement<row_key, day_number, int, int64_t> add_excluded{
    x_db, sql::add_daily_excluded};
  for (const auto& [place, visits] : sums.excluded) {
    const auto& [link_key, day, reason] = place;
    add_excluded(link_key, day, reason, visits);
  }
  many_rows<row_key, int, row_key, int64_t, int64_t> add_evidence{
    x_db, sql::add_evidence};
  for (const auto& [place, x] : sums.evidence) {
    const auto& [link_key, stratum, variant_key] = place;
    add_evidence(link_key, stratum, variant_key, x.clicks, x.conversions);
  }
  add_evidence.finish();
}

event_tables::visitor_counts event_tables::add_visitors(
  const std::map<rollups::visitor_place, rollups::visit>& visits) {
  visitor_counts result;
  bound_statement<day_number, row_key, int64_t, uuid> add_visitor{
    x_db, sql::add_visitor};
  bound_statement<uuid, day_number, row_key, int64_t> update_visitor{
    x_db, sql::update_visitor};
  for (const auto& [place, visit] : visits) {
    const auto& [day, link_key, visitor] = place;
    if (add_visitor(day, link_key, visitor, visit.click_id) == 1)
      ++result[{link_key, day}];
    else
      update_visitor(visit.click_id, day, link_key, visitor);
  }
  return result;
}

void event_tables::add_uniques(const visitor_counts& counts) {
  bound_statement<row_key, day_number, int64_t> add{x_db,
                                                    sql::add_daily_visitors};
  for (const auto& [place, count] : counts)
    add(place.first, place.second, count);
}

void event_tables::forget_visitors(day_number day) {
  x_db.run(sql::forget_visitors, day);
}

std::vector<storage::link_totals>
event_tables::totals(const std::set<row_key>& link_keys, scope of) {
  std::vector<storage::link_totals> result;
  bound_query<std::tuple<int>, row_key> asks{x_db, sql::asks_for_winner};
  bound_query<
    std::tuple<uuid, uuid, int64_t, int64_t, int64_t, int, int, int64_t>,
    row_key>
    read{x_db, sql::totals_of_link};
  for (auto key : link_keys) {
    auto is_asking = false;
    if (of == scope::asking)
      asks.each(key, [&](int x) { is_asking = x != 0; });
    if (of == scope::asking && !is_asking)
      continue;
    auto& totals = result.emplace_back();
    std::vector<std::pair<int, variant_totals>> found;
    read.each(key, [&](const uuid& link_id, const uuid& variant_id,
                       int64_t clicks, int64_t converted, int64_t conversions,
                       int place, int auto_winner, int64_t version) {
      totals.link_id = link_id;
      totals.auto_winner = auto_winner != 0;
      totals.version = version;
      found.push_back({place, {variant_id, clicks, conversions, converted}});
    });
    std::stable_sort(found.begin(), found.end(),
                     [](auto& x, auto& y) { return x.first < y.first; });
    for (const auto& [place, x] : found)
      totals.variants.emplace_back(x);
  }
  return result;
}

} // namespace turnout::sqlite
