#include "plugins/sql/waiting_conversions.hpp"

#include "core/time.hpp"
#include "plugins/sql/batch.hpp"
#include "plugins/sql/rows.hpp"
#include "plugins/sql/sql_backend.hpp"
#include "plugins/sql/statements.hpp"

#include <algorithm>
#include <utility>

namespace turnout::plugins {

namespace {

/// Clocks of nodes differ by less.
constexpr auto clock_skew = std::chrono::minutes{1};

/// A transaction takes less time.
constexpr auto race_window = std::chrono::minutes{1};

class waiting_reader {
public:
  /// Calls `f` with each conversion of a query.
  template <class F, class... Ts>
  void each(connection& db, const char* query, F f, const Ts&... values) {
    db.each(
      query,
      std::tie(x_row.click_id, x_row.id, x_row.link_id, x_row.event_id,
               x_row.value, x_row.currency, x_occurred_at, x_created_at),
      [&] {
        x_row.occurred_at = from_micros(x_occurred_at);
        x_row.created_at = from_micros(x_created_at);
        f(x_row);
      },
      values...);
  }

private:
  conversion_request x_row;
  int64_t x_occurred_at = 0;
  int64_t x_created_at = 0;
};

} // namespace

void keep_waiting(connection& db, const conversion_request& x) {
  // An id that cannot be of the last day was made up, or its click is gone.
  if (signed_half(x.click_id.hi) < first_id(x.created_at - attribution_window)
      || signed_half(x.click_id.hi) >= end_id(x.created_at + clock_skew))
    return;
  db.run(sql::add_waiting_conversion, x.click_id, x.id, x.link_id, x.event_id,
         x.value, x.currency, to_micros(x.occurred_at), to_micros(x.created_at),
         to_micros(now()));
}

std::vector<conversion_request>
arrived_conversions(connection& db, const std::vector<uuid>& new_clicks) {
  std::vector<conversion_request> result;
  waiting_reader reader;
  const auto is_new = [&](const uuid& x) {
    return std::binary_search(new_clicks.begin(), new_clicks.end(), x);
  };
  if (!new_clicks.empty())
    // The clicks of a batch are of about one time, and so are their ids.
    reader.each(
      db, sql::conversions_waiting_between,
      [&](const conversion_request& x) {
        if (is_new(x.click_id))
          result.push_back(x);
      },
      signed_half(new_clicks.front().hi), signed_half(new_clicks.back().hi));
  // Two transactions that bring a click and its conversion at the same time do
  // not see each other.
  std::vector<conversion_request> recent;
  reader.each(
    db, db.words().conversions_arrived_since,
    [&](const conversion_request& x) { recent.push_back(x); },
    to_micros(now() - race_window));
  for (auto& x : recent)
    if (!is_new(x.click_id) && find_click(db, x.click_id))
      result.push_back(std::move(x));
  std::sort(result.begin(), result.end(),
            [](const auto& x, const auto& y) { return x.id < y.id; });
  db.run(sql::forget_conversions_waiting_since,
         to_micros(now() - attribution_window));
  return result;
}

bool is_conversion_waiting(connection& db) {
  auto found = 0;
  return db.first(sql::find_waiting_conversion, std::tie(found),
                  to_micros(now() - race_window));
}

void forget_waiting(connection& db, const conversion_request& x) {
  db.run(sql::forget_waiting_conversion, x.click_id, x.id);
}

} // namespace turnout::plugins
