#include "plugins/sql/sql_backend.hpp"
#include "plugins/sql/statements.hpp"
#include "plugins/sql/waiting_conversions.hpp"

#include <algorithm>

namespace turnout::plugins {

namespace {

std::map<int, int64_t> load_positions(connection& db, const char* query,
                                      const uuid& node) {
  std::map<int, int64_t> result;
  auto journal = 0;
  int64_t position = 0;
  db.each(
    query, std::tie(journal, position), [&] { result[journal] = position; },
    node);
  return result;
}

/// Returns the stored positions and keeps everybody else from storing events of
/// these journals: the batch may be on its way a second time.
std::map<int, int64_t> lock_positions(connection& db,
                                      const storage::event_batch& batch) {
  for (const auto& range : batch.ranges)
    db.run(sql::add_position, batch.node, range.journal);
  return load_positions(db, db.words().lock_positions, batch.node);
}

/// Stores one batch within a transaction.
class batch_writer {
public:
  batch_writer(connection& db, event_tables& tables,
               const storage::event_batch& batch)
    : x_db(db),
      x_tables(tables),
      x_batch(batch),
      x_positions(batch, lock_positions(db, batch)) {
    // nop
  }

  storage::store_result run() {
    x_tables.begin(x_batch);
    store_clicks();
    store_excluded();
    // Before the flush: it makes each visitor's newest click the stored one,
    // while a conversion belongs to the newest click before it.
    store_conversions();
    store_arrived_conversions();
    flush(x_db, x_tables, x_sums);
    if (!x_batch.is_part)
      for (auto [journal, position] : x_positions.next())
        x_db.run(sql::set_position, position, x_batch.node, journal);
    x_result.totals
      = x_tables.totals(x_sums.links, event_tables::scope::asking);
    for (auto& x : x_result.totals)
      if (auto i = x_last.find(x.link_id); i != x_last.end())
        x.last_conversion = i->second;
    x_tables.end();
    return std::move(x_result);
  }

private:
  void store_clicks() {
    auto fresh = new_clicks(x_batch, x_positions);
    x_result.replayed
      += static_cast<int64_t>(x_batch.clicks.size() - fresh.size());
    std::vector<row_key> variants;
    variants.reserve(fresh.size());
    for (auto i : fresh)
      variants.push_back(x_batch.clicks[i].variant_key);
    std::sort(variants.begin(), variants.end());
    variants.erase(std::unique(variants.begin(), variants.end()),
                   variants.end());
    const auto links = x_tables.links_of_variants(variants);
    auto& rows = x_rows;
    rows.reserve(fresh.size());
    for (auto i : fresh) {
      const auto& x = x_batch.clicks[i];
      const auto at
        = std::lower_bound(variants.begin(), variants.end(), x.variant_key);
      const auto link = links[static_cast<size_t>(at - variants.begin())];
      if (link == 0 || link != x.link_key)
        ++x_result.orphans;
      else
        rows.push_back({&x, values_of(x, x_batch.classes[i].values)});
    }
    const auto fates = x_tables.add_clicks(rows);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (fates[i] == click_fate::stored_before)
        ++x_result.replayed;
      else
        add_click(rows[i], fates[i]);
    }
    x_new_clicks = x_tables.index_clicks(std::move(x_new_clicks));
  }

  void add_click(const new_click& x, click_fate fate) {
    ++x_result.clicks;
    x_new_clicks.push_back(x.event->id);
    if (fate == click_fate::recent)
      x_sums.add_recent(*x.event);
    else
      x_sums.add_click(x);
    if (!x_batch.conversions.empty())
      x_visits.add(*x.event);
  }

  void store_excluded() {
    std::set<row_key> links;
    for (const auto& x : x_batch.excluded)
      links.insert(x.link_key);
    links = x_tables.known_links(links);
    for (size_t i = 0; i < x_batch.excluded.size(); ++i) {
      const auto& x = x_batch.excluded[i];
      if (!x_positions.is_new(x_batch.excluded_places[i])) {
        ++x_result.replayed;
      } else if (!links.contains(x.link_key)) {
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

  /// Those whose click came after them, from another node.
  void store_arrived_conversions() {
    std::sort(x_new_clicks.begin(), x_new_clicks.end());
    for (const auto& x : arrived_conversions(x_db, x_new_clicks)) {
      if (store_conversion(x))
        ++x_result.conversions;
      forget_waiting(x_db, x);
    }
    x_result.is_conversion_waiting = is_conversion_waiting(x_db);
  }

  bool store_conversion(const conversion_request& x) {
    sql_conversion_source source{x_db, &x_visits};
    row_key link_key = 0;
    uuid link_id = x.link_id;
    if (x.link_id) {
      link_row row;
      if (x_db.first(sql::link_by_id, row.columns(), x.link_id))
        link_key = row.key;
    } else if (auto clicked = source.find_click(x.click_id)) {
      link_key = clicked->link_key;
      x_db.first(sql::id_of_link, std::tie(link_id), link_key);
    }
    if (link_key == 0) {
      if (x.click_id && !x.link_id)
        keep_waiting(x_db, x);
      return false;
    }
    auto plan = plan_conversion(source, link_key, x);
    if (plan.what == conversion_plan::outcome::click_not_found && x.click_id)
      keep_waiting(x_db, x);
    if (plan.what != conversion_plan::outcome::record
        || !record(x_db, plan, x_sums))
      return false;
    x_last[link_id] = x.id;
    return true;
  }

  connection& x_db;
  event_tables& x_tables;
  const storage::event_batch& x_batch;
  batch_positions x_positions;
  /// The clicks of the batch by link, those that are stored already too.
  std::vector<new_click> x_rows;
  rollups x_sums;
  batch_visits x_visits;
  std::vector<uuid> x_new_clicks;
  /// The last conversion of each link.
  std::map<uuid, uuid> x_last;
  storage::store_result x_result;
};

/// How many days of visitors are kept besides the newest: a conversion looks
/// back 24 hours, and a journal may be drained late.
constexpr day_number visitor_days = 2;

/// Returns how many visitors of each day are new.
event_tables::visitor_counts
flush_visitors(connection& db, event_tables& tables, const rollups& sums) {
  day_number horizon = 0;
  day_number clicks_horizon = 0;
  db.first(sql::get_horizons, std::tie(horizon, clicks_horizon));
  auto uniques = tables.add_visitors(sums.visitors);
  // Whoever came earlier on a day before the horizon was forgotten: count the
  // clicks.
  std::set<std::pair<row_key, day_number>> forgotten;
  for (const auto& [place, visit] : sums.visitors) {
    const auto& [day, link_key, visitor] = place;
    if (day < horizon && forgotten.emplace(link_key, day).second) {
      uniques.erase({link_key, day});
      auto first = first_id(start_of(day));
      auto end = end_id(start_of(day + 1));
      db.run(sql::recount_daily_visitors, link_key, day, first, end);
    }
  }
  // A clock that runs ahead must not make every later day a forgotten one.
  auto newest = std::min(sums.newest_day(), day_of(now()));
  auto next_horizon = newest - visitor_days;
  // Recent clicks need the visitors of their days to be counted.
  if (next_horizon > horizon)
    next_horizon = std::min(next_horizon, tables.first_recent_day());
  if (next_horizon > horizon) {
    tables.forget_visitors(next_horizon);
    db.run(sql::set_visitors_horizon, next_horizon);
  }
  return uniques;
}

} // namespace

caf::expected<storage::store_result>
sql_backend::store_events(const storage::event_batch& batch) {
  if (!batch_positions::is_complete(batch))
    return make_error(ec::internal, "The batch of events is incomplete.");
  return attempt("store the events", [&](connection& db) {
    prepare_for(db, batch);
    auto events = tables(db);
    transaction tx{db, access::write};
    allow_slow_batch(db);
    auto result = batch_writer{db, *events, batch}.run();
    tx.commit();
    events->committed();
    return result;
  });
}

caf::expected<std::vector<storage::journal_range>>
sql_backend::journal_positions(const uuid& node) {
  return attempt("read the journal positions", [&](connection& db) {
    std::vector<storage::journal_range> result;
    for (auto [journal, position] :
         load_positions(db, sql::positions_of_node, node))
      result.push_back({journal, position});
    return result;
  });
}

void flush(connection& db, event_tables& tables, const rollups& sums) {
  event_tables::visitor_counts uniques;
  if (sums.newest_day() != 0)
    uniques = flush_visitors(db, tables, sums);
  tables.add_sums(sums, uniques);
}

} // namespace turnout::plugins
