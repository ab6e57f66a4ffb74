#pragma once

#include "plugins/sql/event_tables.hpp"
#include "plugins/sqlite/click_index.hpp"
#include "plugins/sqlite/run_agents.hpp"
#include "plugins/sqlite/statement.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace turnout::sqlite {

/// Stores clicks. In the table of clicks, a click over many links costs a page
/// of its own, and as many rows of roll-ups as it has values. So clicks of
/// links that have few in a batch go to a run: rows in the order of links, each
/// with those of one link (packed_clicks.hpp), written one after the other,
/// which takes some batches and is then left alone. These clicks stay there.
/// Until their run is settled (settling.hpp) they are recent: in no sum, but
/// the views of all sums add them (schema.cpp).
class click_runs {
public:
  /// What is known from one batch to the next.
  struct memory {
    /// Clicks of parts of a round that are not findable by their ids yet.
    click_index index;
    /// Whether a part of the round was stored by this process.
    bool is_in_round = false;
    run_agents::memory agents;
    /// About how many recent clicks a link has.
    std::unordered_map<row_key, uint32_t> recent;
  };

  /// @param statements must outlive this object.
  /// @param known must, too, and changes when the batch is committed.
  click_runs(statement_cache& statements, memory& known);

  /// Begins with a batch.
  void begin(const storage::event_batch& batch);

  /// Adds clicks, which come link by link.
  std::vector<plugins::click_fate>
  add(const std::vector<plugins::new_click>& clicks);

  /// Makes the clicks of a round findable by their ids with the last of its
  /// batches, and returns the ids.
  std::vector<uuid> index();

  /// Notes whether a round is underway; the last step of a batch.
  void end();

  /// To be called when the batch was committed.
  void committed();

  /// Returns the newest day of the batch, 0 without clicks.
  day_number newest_day() const noexcept {
    return x_newest_day;
  }

  /// Returns how many clicks of the batch are recent.
  int64_t num_recent() const noexcept {
    return x_num_recent;
  }

private:
  using click_iterator = std::vector<plugins::new_click>::const_iterator;

  bool is_few(click_iterator first, click_iterator last) const;

  /// Sets the run that takes clicks.
  void find_run();

  statement_cache& x_statements;
  memory& x_known;
  uuid x_node;
  std::vector<storage::journal_range> x_ranges;
  bool x_is_part = false;
  bool x_has_conversions = false;
  /// Visitors of earlier days were forgotten, or clicks purged.
  day_number x_horizon = 0;
  int64_t x_run = 0;
  /// Where to look for clicks that were stored before the round was cut off; 0:
  /// nowhere, as it was not.
  int64_t x_first_run_of_round = 0;
  std::vector<click_place> x_places;
  int64_t x_num_recent = 0;
  day_number x_newest_day = 0;
};

} // namespace turnout::sqlite
