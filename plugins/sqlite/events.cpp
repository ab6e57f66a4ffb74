#include "plugins/sqlite/sql.hpp"
#include "plugins/sqlite/sqlite_backend.hpp"

#include <algorithm>
#include <unordered_map>

namespace turnout::sqlite {

using plugins::batch_positions;
using plugins::batch_visits;
using plugins::bound_query;
using plugins::bound_statement;
using plugins::conversion_plan;
using plugins::rollups;

namespace {

std::map<int, int64_t> load_positions(connection& db, const uuid& node) {
  std::map<int, int64_t> result;
  auto journal = 0;
  int64_t position = 0;
  db.each(
    sql::positions_of_node, std::tie(journal, position),
    [&] { result[journal] = position; }, node);
  return result;
}

/// Tells events of rows that the store does not have, looking each row up once.
class known_rows {
public:
  explicit known_rows(connection& db)
    : x_link_of_variant(db, sql::link_of_variant),
      x_has_link(db, sql::has_link) {
    // nop
  }

  bool has_variant(row_key link_key, row_key variant_key) {
    return find(x_variants, x_link_of_variant, variant_key) == link_key
           && link_key != 0;
  }

  bool has_link(row_key link_key) {
    return find(x_links, x_has_link, link_key) != 0;
  }

private:
  using table = std::unordered_map<row_key, row_key>;
  using key_query = bound_query<std::tuple<row_key>, row_key>;

  static row_key find(table& known, key_query& query, row_key key) {
    auto [i, added] = known.try_emplace(key, 0);
    if (added)
      query.each(key, [&, place = i](row_key found) { place->second = found; });
    return i->second;
  }

  key_query x_link_of_variant;
  key_query x_has_link;
  table x_variants;
  table x_links;
};

/// Writes rows of the table of clicks.
class click_writer {
public:
  explicit click_writer(connection& db) : x_insert(db, sql::add_click) {
    // nop
  }

  /// Returns false when the click is stored already.
  bool write(const click& x, const plugins::dimension_values& values) {
    const auto& [country, referrer, browser, device, system] = values;
    return x_insert(x.link_key, x.id, x.variant_key, x.stratum, x.is_repeat,
                    to_micros(x.created_at), x.visitor, x.ip_address,
                    x.user_agent, x.referrer, x.country, country, referrer,
                    browser, device, system)
           == 1;
  }

private:
  bound_statement<row_key, uuid, row_key, int, int, int64_t, int64_t,
                  std::string, std::string, std::string, std::string,
                  std::string, std::string, std::string, std::string,
                  std::string>
    x_insert;
};

/// Stores one batch within a transaction.
class batch_writer {
public:
  batch_writer(connection& db, const storage::event_batch& batch)
    : x_db(db),
      x_batch(batch),
      x_positions(batch, load_positions(db, batch.node)),
      x_rows(db) {
    // nop
  }

  storage::store_result run() {
    store_clicks();
    store_excluded();
    // Before the flush: it makes each visitor's newest click the stored one,
    // while a conversion belongs to the newest click before it.
    store_conversions();
    flush(x_db, x_sums);
    for (auto [journal, position] : x_positions.next())
      x_db.run(sql::set_position, x_batch.node, journal, position);
    totals_reader totals{x_db};
    for (auto link_key : x_sums.links) {
      auto& added = x_result.totals.emplace_back(totals.read(link_key));
      if (auto i = x_last.find(link_key); i != x_last.end())
        added.last_conversion = i->second;
    }
    return std::move(x_result);
  }

private:
  void store_clicks() {
    auto fresh = plugins::new_clicks(x_batch, x_positions);
    x_result.replayed
      += static_cast<int64_t>(x_batch.clicks.size() - fresh.size());
    click_writer writer{x_db};
    for (auto i : fresh) {
      const auto& x = x_batch.clicks[i];
      if (!x_rows.has_variant(x.link_key, x.variant_key)) {
        ++x_result.orphans;
        continue;
      }
      auto values = plugins::values_of(x, x_batch.classes[i].values);
      if (!writer.write(x, values)) {
        ++x_result.replayed;
        continue;
      }
      ++x_result.clicks;
      x_sums.add_click(x, values);
      if (!x_batch.conversions.empty())
        x_visits.add(x);
    }
  }

  void store_excluded() {
    for (size_t i = 0; i < x_batch.excluded.size(); ++i) {
      const auto& x = x_batch.excluded[i];
      if (!x_positions.is_new(x_batch.excluded_places[i])) {
        ++x_result.replayed;
      } else if (!x_rows.has_link(x.link_key)) {
        ++x_result.orphans;
      } else {
        ++x_result.excluded;
        x_sums.add_excluded(x);
      }
    }
  }

  void store_conversions() {
    for (size_t i = 0; i < x_batch.conversions.size(); ++i) {
      if (!x_positions.is_new(x_batch.conversion_places[i]))
        ++x_result.replayed;
      else if (store_conversion(x_batch.conversions[i]))
        ++x_result.conversions;
      else
        ++x_result.conversions_dropped;
    }
  }

  bool store_conversion(const conversion_request& x) {
    sqlite_conversion_source source{x_db, &x_visits};
    row_key link_key = 0;
    if (x.link_id) {
      plugins::link_row row;
      if (x_db.first(sql::link_by_id, row.columns(), x.link_id))
        link_key = row.key;
    } else if (auto clicked = source.find_click(x.click_id)) {
      link_key = clicked->link_key;
    }
    if (link_key == 0)
      return false;
    auto plan = plugins::plan_conversion(source, link_key, x);
    if (plan.what != conversion_plan::outcome::record
        || !record(x_db, plan, x_sums))
      return false;
    x_last[link_key] = x.id;
    return true;
  }

  connection& x_db;
  const storage::event_batch& x_batch;
  batch_positions x_positions;
  known_rows x_rows;
  rollups x_sums;
  batch_visits x_visits;
  /// The last conversion of each link.
  std::unordered_map<row_key, uuid> x_last;
  storage::store_result x_result;
};

/// How many days of visitors are kept besides the newest: a conversion looks
/// back 24 hours, and a journal may be drained late.
constexpr day_number visitor_days = 2;

void flush_visitors(connection& db, const rollups& sums) {
  day_number horizon = 0;
  day_number clicks_horizon = 0;
  db.first(sql::get_horizons, std::tie(horizon, clicks_horizon));
  // New visitors of each link and day.
  std::map<std::pair<row_key, day_number>, int64_t> uniques;
  bound_statement<day_number, row_key, int64_t, uuid> add_visitor{
    db, sql::add_visitor};
  bound_statement<uuid, day_number, row_key, int64_t> update_visitor{
    db, sql::update_visitor};
  for (const auto& [place, visit] : sums.visitors) {
    const auto& [day, link_key, visitor] = place;
    auto& count = uniques[{link_key, day}];
    if (add_visitor(day, link_key, visitor, visit.click_id) == 1)
      ++count;
    else
      update_visitor(visit.click_id, day, link_key, visitor);
  }
  bound_statement<row_key, day_number, int64_t> add_uniques{
    db, sql::add_daily_visitors};
  for (const auto& [place, count] : uniques) {
    const auto& [link_key, day] = place;
    if (day < horizon) {
      // Whoever came earlier on that day was forgotten: count the clicks.
      auto first = plugins::first_id(start_of(day));
      auto end = plugins::end_id(start_of(day + 1));
      db.run(sql::recount_daily_visitors, link_key, day, first, end);
    } else if (count > 0) {
      add_uniques(link_key, day, count);
    }
  }
  // A clock that runs ahead must not make every later day a forgotten one.
  auto newest = std::min(sums.newest_day(), day_of(now()));
  auto next_horizon = newest - visitor_days;
  if (next_horizon > horizon) {
    db.run(sql::forget_visitors, next_horizon);
    db.run(sql::set_visitors_horizon, next_horizon);
  }
}

} // namespace

caf::expected<storage::store_result>
sqlite_backend::store_events(const storage::event_batch& batch) {
  if (!batch_positions::is_complete(batch))
    return make_error(ec::internal, "The batch of events is incomplete.");
  return attempt("store the events", [&](connection& db) {
    transaction tx{db, sql::begin_write};
    auto result = batch_writer{db, batch}.run();
    tx.commit();
    return result;
  });
}

caf::expected<std::vector<storage::journal_range>>
sqlite_backend::journal_positions(const uuid& node) {
  return attempt("read the journal positions", [&](connection& db) {
    std::vector<storage::journal_range> result;
    for (auto [journal, position] : load_positions(db, node))
      result.push_back({journal, position});
    return result;
  });
}

// -- shared -------------------------------------------------------------------

void flush(connection& db, const rollups& sums) {
  bound_statement<row_key, row_key, int64_t, int64_t, int64_t> add_totals{
    db, sql::add_variant_totals};
  for (const auto& [place, x] : sums.totals())
    add_totals(place.first, place.second, x.clicks, x.converted, x.conversions);
  bound_statement<row_key, day_number, row_key, int64_t, int64_t, int64_t,
                  int64_t>
    add_daily{db, sql::add_daily};
  for (const auto& [place, x] : sums.daily) {
    const auto& [link_key, day, variant_key] = place;
    add_daily(link_key, day, variant_key, x.clicks, x.converted, x.conversions,
              x.unattributed);
  }
  bound_statement<row_key, int, day_number, std::string, int64_t, int64_t>
    add_values{db, sql::add_daily_values};
  for (const auto& [place, x] : sums.values) {
    const auto& [link_key, dimension, day, value] = place;
    add_values(link_key, dimension, day, value, x.clicks, x.conversions);
  }
  bound_statement<row_key, day_number, int, int64_t> add_excluded{
    db, sql::add_daily_excluded};
  for (const auto& [place, visits] : sums.excluded) {
    const auto& [link_key, day, reason] = place;
    add_excluded(link_key, day, reason, visits);
  }
  bound_statement<row_key, int, row_key, int64_t, int64_t> add_evidence{
    db, sql::add_evidence};
  for (const auto& [place, x] : sums.evidence) {
    const auto& [link_key, stratum, variant_key] = place;
    add_evidence(link_key, stratum, variant_key, x.clicks, x.conversions);
  }
  if (!sums.visitors.empty())
    flush_visitors(db, sums);
}

totals_reader::totals_reader(connection& db)
  : x_query(db, sql::totals_of_link) {
  // nop
}

storage::link_totals totals_reader::read(row_key link_key) {
  storage::link_totals result;
  std::vector<std::pair<int, variant_totals>> found;
  x_query.each(link_key, [&](const uuid& link_id, const uuid& variant_id,
                             int64_t clicks, int64_t converted,
                             int64_t conversions, int place, int auto_winner,
                             int64_t version) {
    result.link_id = link_id;
    result.auto_winner = auto_winner != 0;
    result.version = version;
    found.push_back({place, {variant_id, clicks, conversions, converted}});
  });
  std::stable_sort(found.begin(), found.end(),
                   [](auto& x, auto& y) { return x.first < y.first; });
  for (const auto& [place, x] : found)
    result.variants.emplace_back(x);
  return result;
}

} // namespace turnout::sqlite
