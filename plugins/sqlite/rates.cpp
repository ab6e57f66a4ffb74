#include "plugins/sqlite/sql.hpp"
#include "plugins/sqlite/sqlite_backend.hpp"

#include <algorithm>

namespace turnout::sqlite {

using storage::admission;
using storage::admitted;

caf::expected<std::vector<admitted>>
sqlite_backend::admit(const std::vector<admission>& batch, int64_t hour) {
  return attempt("count the API requests", [&](connection& db) {
    const auto asks_only
      = std::all_of(batch.begin(), batch.end(),
                    [](const admission& x) { return x.count == 0; });
    std::vector<admitted> result;
    // The write lock is held from the first look on, so nobody else counts in
    // between.
    transaction tx{db, asks_only ? sql::begin_read : sql::begin_write};
    for (const auto& x : batch) {
      auto& y = result.emplace_back();
      db.first(sql::find_rate_window, std::tie(y.used_before), hour,
               x.account_id);
      const auto left = std::max(0, x.limit - y.used_before);
      const auto granted = std::min(x.count, left);
      y.used_after = y.used_before + granted;
      if (granted > 0)
        db.run(sql::add_to_rate_window, hour, x.account_id, granted);
    }
    // Clocks of nodes differ, so the last hour may still be somebody's.
    if (!asks_only)
      db.run(sql::forget_rate_windows, hour - 1);
    tx.commit();
    return result;
  });
}

} // namespace turnout::sqlite
