#pragma once

#include "plugins/sql/rollups.hpp"
#include "storage/backend.hpp"

#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace turnout::plugins {

/// What a batch of events reads and writes in bulk, each database in the way
/// that is quickest for it. Used within the transaction of the batch.
class event_tables {
public:
  /// Keys of a link and of something of it, such as a variant or a day.
  using visitor_counts = std::map<std::pair<row_key, day_number>, int64_t>;

  virtual ~event_tables() = default;

  /// Returns the links of variants, without the variants that are not there.
  virtual std::unordered_map<row_key, row_key>
  links_of_variants(const std::set<row_key>& variant_keys) = 0;

  /// Returns those of the links that are there.
  virtual std::set<row_key> known_links(const std::set<row_key>& link_keys) = 0;

  /// Adds clicks and returns for each whether it is new.
  virtual std::vector<bool> add_clicks(const std::vector<new_click>& clicks)
    = 0;

  /// Returns how many clicks of a link in a batch are to be stored as recent
  /// ones (rollups::recent) at most; 0 where there is no such thing.
  virtual size_t max_recent() const {
    return 0;
  }

  /// Adds to the totals, days, breakdowns, excluded visits and the evidence.
  /// @param uniques new visitors of days
  virtual void add_sums(const rollups& sums, const visitor_counts& uniques) = 0;

  /// Moves what is kept of recent clicks of a link to where its older days are.
  virtual void settle(row_key /* link_key */) {
    // nop
  }

  /// Does so for all links.
  virtual void settle_all() {
    // nop
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
