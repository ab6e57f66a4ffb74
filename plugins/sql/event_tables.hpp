#pragma once

#include "plugins/sql/rollups.hpp"
#include "storage/backend.hpp"

#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace turnout::plugins {

/// What became of a click.
enum class click_fate {
  /// It was there.
  stored_before,
  /// It is to be counted.
  stored,
  /// It is to be counted later (settle_some); until then views add it to all
  /// sums.
  recent,
};

/// What a batch of events reads and writes in bulk, each database in the way
/// that is quickest for it. Used within the transaction of the batch.
class event_tables {
public:
  /// Keys of a link and of something of it, such as a variant or a day.
  using visitor_counts = std::map<std::pair<row_key, day_number>, int64_t>;

  virtual ~event_tables() = default;

  /// Returns the link of each variant, 0 for those that are not there.
  /// @param variant_keys ascending, each once
  virtual std::vector<row_key>
  links_of_variants(const std::vector<row_key>& variant_keys) = 0;

  /// Returns those of the links that are there.
  virtual std::set<row_key> known_links(const std::set<row_key>& link_keys) = 0;

  /// Called before all else with the batch, if there is one.
  virtual void begin(const storage::event_batch& /* batch */) {
    // nop
  }

  /// Adds clicks, which come link by link.
  virtual std::vector<click_fate>
  add_clicks(const std::vector<new_click>& clicks) = 0;

  /// Returns the ids of clicks that can be found by them from now on: those
  /// that the batch added, or, if these wait for later ones, all together.
  virtual std::vector<uuid> index_clicks(std::vector<uuid> added) {
    return added;
  }

  /// Called last of all, before the batch is committed.
  virtual void end() {
    // nop
  }

  /// Called when the batch was committed.
  virtual void committed() {
    // nop
  }

  /// Adds to the totals, days, breakdowns, excluded visits and the evidence.
  /// @param uniques new visitors of days
  virtual void add_sums(const rollups& sums, const visitor_counts& uniques) = 0;

  /// Counts some of the recent clicks, if any are of days before `day`. Returns
  /// whether there may be more.
  virtual bool settle_some(day_number /* day */) {
    return false;
  }

  /// Returns the first day of recent clicks; any later one if there are none.
  virtual day_number first_recent_day() {
    return std::numeric_limits<day_number>::max();
  }

  /// Adds visitors, or their newest clicks, and returns how many are new.
  virtual visitor_counts add_visitors(const rollups::visits& visits) = 0;

  /// Deletes the visitors of the days before `day`.
  virtual void forget_visitors(day_number day) = 0;

  /// Which links are asked for.
  enum class scope { all, asking };

  /// Returns the totals of links or of those that ask for a winner, in any
  /// order.
  virtual std::vector<storage::link_totals>
  totals(const std::set<row_key>& link_keys, scope of) = 0;
};

} // namespace turnout::plugins
