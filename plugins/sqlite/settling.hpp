#pragma once

#include "plugins/sql/rollups.hpp"
#include "plugins/sqlite/run_agents.hpp"
#include "plugins/sqlite/statement.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace turnout::sqlite {

/// Settles runs (click_runs.hpp): adds their clicks to the roll-ups, several
/// runs at once, from link to link. By then a link has many clicks in them, so
/// that these share rows and pages.
class settling {
public:
  /// Later than any day.
  static constexpr auto any_day = std::numeric_limits<day_number>::max();

  /// @param statements must outlive this object.
  explicit settling(statement_cache& statements);

  /// Returns whether there is so much to settle, or so old, that it is time.
  /// @param newest_day of all clicks
  /// @param is_read_by_batches whether each batch reads recent clicks of many
  ///                           links
  bool is_due(day_number newest_day, bool is_read_by_batches) const noexcept;

  /// Returns whether there is anything of days before `day` to settle.
  bool is_left(day_number day) const noexcept;

  /// Returns the first day of what is not settled, `any_day` without any.
  day_number oldest_day() const noexcept;

  /// Adds the next clicks to `sums`, about as many as asked for, and notes that
  /// they are settled. Returns whether runs were settled to their end.
  bool next(int64_t clicks, plugins::rollups& sums);

private:
  struct run {
    int64_t number = 0;
    int64_t clicks = 0;
    /// Rows that these are in.
    int64_t packs = 0;
    day_number first_day = 0;
  };

  /// Returns the last link of a part that has at most about so many clicks.
  row_key end_of_part(int64_t clicks) const;

  /// Adds the clicks of the next links up to `last` and returns how many.
  int64_t read_part(row_key last, run_agent_values& agents,
                    plugins::rollups& sums);

  void note(int64_t until, row_key link_key);

  statement_cache& x_statements;
  /// All that are not settled, oldest first.
  std::vector<run> x_runs;
  /// The last run that is being settled; 0: none is.
  int64_t x_until = 0;
  /// The last link that is settled in these runs.
  row_key x_link_key = 0;
};

} // namespace turnout::sqlite
