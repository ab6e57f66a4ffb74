#include "plugins/sql/sql_backend.hpp"
#include "plugins/sql/statements.hpp"

#include <algorithm>

namespace turnout::plugins {

namespace {

template <class... Ts>
std::optional<conversion> find_conversion(connection& db, const char* query,
                                          const Ts&... key) {
  conversion x;
  int64_t occurred_at = 0;
  int64_t created_at = 0;
  if (!db.first(query,
                std::tie(x.id, x.link_id, x.variant_id, x.variant_label,
                         x.click_id, x.event_id, x.value, x.currency,
                         occurred_at, created_at),
                key...))
    return std::nullopt;
  x.occurred_at = from_micros(occurred_at);
  x.created_at = from_micros(created_at);
  return x;
}

/// Returns the key of the link that a request is about, or fails when the
/// account has no such link or click.
row_key find_target(connection& db, conversion_source& source,
                    const uuid& account_id, const conversion_request& x) {
  if (x.link_id)
    return load_owned_link(db, account_id, x.link_id).key;
  auto clicked = source.find_click(x.click_id);
  uuid link_id;
  link_row owner;
  if (!clicked
      || !db.first(sql::id_of_link, std::tie(link_id), clicked->link_key)
      || !db.first(sql::link_by_id, owner.columns(), link_id)
      || owner.user_id != account_id || owner.is_deleted != 0)
    fail(ec::not_found, "Click not found");
  return clicked->link_key;
}

} // namespace

caf::expected<storage::conversion_result>
sql_backend::add_conversion(const uuid& account_id,
                            const conversion_request& x) {
  return attempt("record the conversion", [&](connection& db) {
    using outcome = conversion_plan::outcome;
    storage::conversion_result result;
    transaction tx{db, access::write};
    auto events = tables(db);
    sql_conversion_source source{db, nullptr};
    auto link_key = find_target(db, source, account_id, x);
    rollups sums;
    auto plan = plan_conversion(source, link_key, x);
    if (plan.what == outcome::record && !record(db, plan, sums)) {
      plan = plan_conversion(source, link_key, x);
      if (plan.what == outcome::record)
        fail(ec::conflict, "This conversion is stored already.");
    }
    switch (plan.what) {
      case outcome::click_not_found:
        fail(ec::not_found, "Click not found");
      case outcome::variant_not_found:
        fail(ec::not_found, "Variant not found");
      case outcome::repeat:
        result.recorded = std::move(*plan.first);
        result.created = false;
        break;
      case outcome::record: {
        flush(db, *events, sums);
        auto& made = result.recorded;
        made.id = x.id;
        db.first(sql::id_of_link, std::tie(made.link_id), link_key);
        link owner;
        owner.key = link_key;
        load_variants(db, owner);
        for (const auto& v : owner.variants) {
          if (v.key == plan.row.variant_key) {
            made.variant_id = v.id;
            made.variant_label = v.label;
          }
        }
        made.click_id = plan.row.click_id;
        made.event_id = x.event_id;
        made.value = x.value;
        made.currency = x.currency;
        made.occurred_at = x.occurred_at;
        made.created_at = x.created_at;
        break;
      }
    }
    result.totals
      = events->totals({link_key}, event_tables::scope::all).front();
    if (result.created)
      result.totals.last_conversion = x.id;
    tx.commit();
    return result;
  });
}

// -- rules --------------------------------------------------------------------

std::optional<conversion>
sql_conversion_source::by_event(row_key link_key, const std::string& event_id) {
  return find_conversion(x_db, sql::conversion_by_event, link_key, event_id);
}

std::optional<conversion>
sql_conversion_source::first_of(const uuid& click_id) {
  return find_conversion(x_db, sql::first_conversion_of_click, click_id);
}

std::optional<stored_click> find_click(connection& db, const uuid& id) {
  stored_click x;
  auto& [country, referrer, browser, device, system] = x.values;
  if (!db.first(db.words().find_click,
                std::tie(x.id, x.link_key, x.variant_key, x.stratum,
                         x.is_repeat, x.is_conversion, x.created_at, country,
                         referrer, browser, device, system),
                id))
    return std::nullopt;
  return x;
}

std::optional<stored_click> sql_conversion_source::find_click(const uuid& id) {
  return plugins::find_click(x_db, id);
}

std::optional<stored_click>
sql_conversion_source::newest_click(row_key link_key,
                                    const conversion_request& x) {
  std::optional<uuid> newest;
  if (x_visits != nullptr)
    newest = x_visits->newest(link_key, x);
  auto today = day_of(x.created_at);
  for (size_t days_ago = 0; days_ago < x.visitors.size(); ++days_ago) {
    if (x.visitors[days_ago] == 0)
      continue;
    uuid id;
    auto day = today - static_cast<int>(days_ago);
    if (x_db.first(x_db.words().click_of_visitor, std::tie(id), day, link_key,
                   x.visitors[days_ago])
        && (!newest || *newest < id))
      newest = id;
  }
  if (!newest)
    return std::nullopt;
  auto result = find_click(*newest);
  auto oldest = to_micros(x.created_at - attribution_window);
  if (!result || result->created_at < oldest)
    return std::nullopt;
  return result;
}

row_key sql_conversion_source::find_variant(row_key link_key, const uuid& id) {
  row_key result = 0;
  x_db.first(sql::variant_by_id, std::tie(result), link_key, id);
  return result;
}

bool record(connection& db, const conversion_plan& plan, rollups& sums) {
  const auto& row = plan.row;
  const auto& [country, referrer, browser, device, system] = row.values;
  if (db.run(sql::add_conversion, row.link_key, row.created_at, row.id,
             row.variant_key, row.click_id, row.event_id, row.value,
             row.currency, row.occurred_at, country, referrer, browser, device,
             system)
      == 0)
    return false;
  sums.add_conversion(row);
  if (!plan.click || plan.click->is_conversion != 0)
    return true;
  const auto& clicked = *plan.click;
  const auto mark = [&](const char* sql) {
    return sql != nullptr && db.run(sql, clicked.link_key, clicked.id) > 0;
  };
  if (!mark(sql::mark_converted)
      && !mark(db.words().mark_converted_elsewhere)) {
    // It was converted since the plan was made.
    if (row.event_id.empty())
      throw raced{};
    return true;
  }
  sums.add_converted(clicked.link_key, clicked.variant_key, clicked.stratum,
                     clicked.is_repeat != 0, from_micros(clicked.created_at));
  return true;
}

} // namespace turnout::plugins
