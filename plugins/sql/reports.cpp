#include "core/identifiers.hpp"
#include "plugins/sql/click_days.hpp"
#include "plugins/sql/sql_backend.hpp"
#include "plugins/sql/statements.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace turnout::plugins {

namespace {

// -- analytics ----------------------------------------------------------------

/// Sets the days of a report, from the whole life of the link where they are
/// open: clocks of nodes differ, so a click may be older than its link or newer
/// than today, and must not be missing. An end outside of that life is the only
/// day of the report.
void set_days(connection& db, analytics_report& report,
              std::optional<day_number> from, std::optional<day_number> to,
              day_number today) {
  auto created = day_of(report.subject.created_at);
  day_number first = 0;
  day_number last = 0;
  db.first(sql::first_and_last_day, std::tie(first, last), created,
           report.subject.key);
  report.from = from.value_or(std::min({first, created, to.value_or(first)}));
  report.to = to.value_or(std::max({last, today, report.from}));
}

void load_days(connection& db, analytics_report& report) {
  day_row row;
  int64_t unattributed = 0;
  db.each(
    sql::days_of_link,
    std::tie(row.day, row.clicks, row.conversions, unattributed),
    [&] {
      report.unattributed_conversions += unattributed;
      // A day may hold nothing but clicks that converted later.
      if (row.clicks != 0 || row.conversions != 0)
        report.days.emplace_back(row);
    },
    report.subject.key, report.from, report.to);
  db.first(sql::visitors_in_days, std::tie(report.unique_visitors),
           report.subject.key, report.from, report.to);
}

void load_variant_totals(connection& db, analytics_report& report) {
  std::unordered_map<row_key, variant_totals> found;
  row_key key = 0;
  variant_totals x;
  db.each(
    sql::variants_in_days, std::tie(key, x.clicks, x.converted, x.conversions),
    [&] { found[key] = x; }, report.subject.key, report.from, report.to);
  for (const auto& v : report.subject.variants) {
    auto& totals = report.variants.emplace_back(found[v.key]);
    totals.variant_id = v.id;
  }
  if (auto i = found.find(0); i != found.end())
    report.variants.emplace_back(i->second);
}

void load_conversions(connection& db, analytics_report& report) {
  conversion x;
  int64_t occurred_at = 0;
  int64_t created_at = 0;
  auto from = to_micros(start_of(report.from));
  auto until = to_micros(start_of(report.to + 1));
  db.each(
    sql::conversions_of_link,
    std::tie(x.id, x.link_id, x.variant_id, x.variant_label, x.click_id,
             x.event_id, x.value, x.currency, occurred_at, created_at),
    [&] {
      x.occurred_at = from_micros(occurred_at);
      x.created_at = from_micros(created_at);
      report.conversions.emplace_back(x);
    },
    report.subject.key, from, until);
}

void load_breakdowns(connection& db, analytics_report& report) {
  for (size_t i = 0; i < num_dimensions; ++i) {
    breakdown_row row;
    auto dimension = static_cast<int>(i);
    db.each(
      sql::top_values, std::tie(row.value, row.clicks, row.conversions),
      [&] { report.top[i].emplace_back(row); }, report.subject.key, dimension,
      report.from, report.to);
  }
  auto reason = 0;
  int64_t visits = 0;
  db.each(
    sql::excluded_in_days, std::tie(reason, visits),
    [&] { report.excluded.at(static_cast<size_t>(reason)) = visits; },
    report.subject.key, report.from, report.to);
}

// -- click list ---------------------------------------------------------------

constexpr auto no_limit = std::numeric_limits<int64_t>::max();

int64_t count_raw(connection& db, row_key link_key, timestamp from,
                  timestamp until, int64_t limit) {
  int64_t result = 0;
  auto first_id = plugins::first_id(from);
  auto end_id = plugins::end_id(until);
  auto from_us = to_micros(from);
  auto until_us = to_micros(until);
  db.first(sql::count_clicks, std::tie(result), link_key, first_id, end_id,
           from_us, until_us, limit);
  return result;
}

/// Counts the clicks of a part of a day. What is left out is often little
/// ("until now"), so it is tried first and taken off the day's roll-up.
int64_t count_part(connection& db, row_key link_key,
                   const click_days::part& part, int64_t of_day) {
  constexpr int64_t few = 10'000;
  auto before = count_raw(db, link_key, start_of(part.day), part.from, few);
  auto after = count_raw(db, link_key, part.until, start_of(part.day + 1), few);
  if (before < few && after < few)
    return of_day - before - after;
  return count_raw(db, link_key, part.from, part.until, no_limit);
}

/// Returns the number of clicks of each day of a range, newest first.
std::vector<day_clicks> load_click_days(connection& db, row_key link_key,
                                        timestamp from, timestamp until) {
  std::vector<day_clicks> result;
  if (from >= until)
    return result;
  auto first = day_of(from);
  auto last = day_of(until - timestamp::duration{1});
  day_clicks row;
  db.each(
    sql::click_days, std::tie(row.day, row.clicks),
    [&] { result.emplace_back(row); }, link_key, first, last);
  for (const auto& part : cut_into_days(from, until).parts) {
    auto i = std::find_if(result.begin(), result.end(),
                          [&](auto& x) { return x.day == part.day; });
    if (i != result.end())
      i->clicks = count_part(db, link_key, part, i->clicks);
  }
  return result;
}

/// Puts the row of a click together from the columns of a query.
struct click_columns {
  auto tied() {
    return std::tie(row.id, row.variant_id, row.ip_address, row.user_agent,
                    row.referrer, row.country, is_conversion, created_at);
  }

  const click_row& get() {
    row.is_conversion = is_conversion != 0;
    row.created_at = from_micros(created_at);
    return row;
  }

  click_row row;
  int is_conversion = 0;
  int64_t created_at = 0;
};

void load_clicks(connection& db, row_key link_key, timestamp from,
                 timestamp until, int64_t limit, int64_t offset,
                 std::vector<click_row>& result) {
  click_columns x;
  auto first_id = plugins::first_id(from);
  auto end_id = plugins::end_id(until);
  auto from_us = to_micros(from);
  auto until_us = to_micros(until);
  db.each(
    sql::list_clicks, x.tied(), [&] { result.emplace_back(x.get()); }, link_key,
    first_id, end_id, from_us, until_us, limit, offset);
}

// Bounds of what a click list may ask for, so that days and ids stay within
// their types.
constexpr auto earliest = timestamp{};

constexpr auto latest = start_of(2932897); // the year 10000

/// The year 5000, whose ids are within the type of a column.
constexpr auto latest_id = start_of(1106685);

} // namespace

caf::expected<analytics_report>
sql_backend::analytics(const uuid& account_id, const uuid& link_id,
                       std::optional<day_number> from,
                       std::optional<day_number> to, day_number today) {
  return attempt("read the analytics", [&](connection& db) {
    analytics_report report;
    // One snapshot, so that all sums agree while events come in.
    transaction tx{db, access::read};
    report.subject = load_owned_link(db, account_id, link_id);
    load_variants(db, report.subject);
    set_days(db, report, from, to, today);
    load_days(db, report);
    load_variant_totals(db, report);
    load_conversions(db, report);
    load_breakdowns(db, report);
    tx.commit();
    return report;
  });
}

caf::expected<click_page> sql_backend::clicks(const uuid& account_id,
                                              const uuid& link_id,
                                              const storage::click_range& range,
                                              int page, int per_page) {
  return attempt("list the clicks", [&](connection& db) {
    click_page result;
    transaction tx{db, access::read};
    auto link_key = load_owned_link(db, account_id, link_id).key;
    auto from = std::max(range.from.value_or(earliest), earliest);
    auto until = std::min(range.until.value_or(latest), latest);
    auto days = load_click_days(db, link_key, from, until);
    for (const auto& x : days)
      result.total += x.clicks;
    auto offset = (int64_t{page} - 1) * per_page;
    if (auto start = find_page(days, offset)) {
      // Those before the page need not be looked at to put it in order.
      if (auto end = find_end(days, start->day, start->skip + per_page))
        from = std::max(from, start_of(*end));
      load_clicks(db, link_key, from, std::min(until, start_of(start->day + 1)),
                  per_page, start->skip, result.items);
    }
    tx.commit();
    return result;
  });
}

caf::expected<std::vector<click_row>>
sql_backend::clicks_before(const uuid& account_id, const uuid& link_id,
                           const storage::click_range& range,
                           const uuid& before, int limit) {
  return attempt("read the clicks", [&](connection& db) {
    std::vector<click_row> result;
    transaction tx{db, access::read};
    auto link_key = load_owned_link(db, account_id, link_id).key;
    auto from = std::clamp(range.from.value_or(earliest), earliest, latest_id);
    auto until = std::min(range.until.value_or(latest), latest);
    if (before) {
      // What is left of the day of the last one is not known, so it does not
      // count; those before the page need not be looked at to put it in order.
      const auto day = day_of(time_of(before));
      const auto days = load_click_days(db, link_key, from, start_of(day));
      if (auto end = find_end(days, day, limit))
        from = std::max(from, start_of(*end));
    }
    auto from_us = to_micros(from);
    auto until_us = to_micros(until);
    auto first_id = plugins::first_id(from);
    // Ids of later years than this do not fit, and no click has one.
    auto end_id = until < latest_id ? plugins::end_id(until) : no_limit;
    auto last = before;
    if (last)
      end_id = std::min(end_id, static_cast<int64_t>(last.hi) + 1);
    else
      last.hi = last.lo = static_cast<uint64_t>(no_limit);
    click_columns x;
    db.each(
      sql::clicks_before, x.tied(), [&] { result.emplace_back(x.get()); },
      link_key, first_id, end_id, from_us, until_us, last, limit);
    tx.commit();
    return result;
  });
}

} // namespace turnout::plugins
