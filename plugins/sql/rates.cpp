#include "plugins/sql/sql_backend.hpp"
#include "plugins/sql/statements.hpp"

#include <algorithm>
#include <numeric>

namespace turnout::plugins {

using storage::admission;
using storage::admitted;

namespace {

/// Returns the indexes of a batch in an order that is the same for all who
/// lock the rows of several accounts, so that they do not wait for each other
/// in a circle.
std::vector<size_t> by_account(const std::vector<admission>& batch) {
  std::vector<size_t> result(batch.size());
  std::iota(result.begin(), result.end(), size_t{0});
  std::sort(result.begin(), result.end(), [&](size_t a, size_t b) {
    return batch[a].account_id < batch[b].account_id;
  });
  return result;
}

} // namespace

caf::expected<std::vector<admitted>>
sql_backend::admit(const std::vector<admission>& batch, int64_t hour) {
  return attempt("count the API requests", [&](connection& db) {
    const auto asks_only
      = std::all_of(batch.begin(), batch.end(),
                    [](const admission& x) { return x.count == 0; });
    std::vector<admitted> result(batch.size());
    transaction tx{db, asks_only ? access::read : access::write};
    for (auto i : by_account(batch)) {
      const auto& x = batch[i];
      auto& y = result[i];
      db.first(x.count == 0 ? sql::find_rate_window : sql::lock_rate_window,
               std::tie(y.used_before), hour, x.account_id);
      const auto left = std::max(0, x.limit - y.used_before);
      const auto granted = std::min(x.count, left);
      y.used_after = y.used_before + granted;
      if (granted > 0)
        db.run(sql::set_rate_window, y.used_after, hour, x.account_id);
    }
    // Clocks of nodes differ, so the last hour may still be somebody's.
    if (!asks_only)
      db.run(sql::forget_rate_windows, hour - 1);
    tx.commit();
    return result;
  });
}

} // namespace turnout::plugins
