#pragma once

#include "plugins/sql/connection.hpp"
#include "plugins/sql/event_tables.hpp"
#include "plugins/sqlite/click_runs.hpp"
#include "plugins/sqlite/settling.hpp"
#include "plugins/sqlite/statement.hpp"
#include "plugins/sqlite/variant_links.hpp"

namespace turnout::sqlite {

/// Writes events row by row, or a few rows at a time, with statements that are
/// prepared once for a batch.
class event_tables : public plugins::event_tables {
public:
  /// What is known from one batch to the next.
  struct memory {
    click_runs::memory runs;
    variant_links variants;
  };

  /// @param statements of the same connection, must outlive this object
  /// @param known must outlive this object.
  event_tables(plugins::connection& db, statement_cache& statements,
               memory& known);

  std::vector<row_key>
  links_of_variants(const std::vector<row_key>& variant_keys) override;

  std::set<row_key> known_links(const std::set<row_key>& link_keys) override;

  void begin(const storage::event_batch& batch) override;

  std::vector<plugins::click_fate>
  add_clicks(const std::vector<plugins::new_click>& clicks) override;

  std::vector<uuid> index_clicks(std::vector<uuid> added) override;

  void end() override;

  void committed() override;

  void add_sums(const plugins::rollups& sums,
                const visitor_counts& uniques) override;

  bool settle_some(day_number day) override;

  day_number first_recent_day() override;

  visitor_counts add_visitors(const plugins::rollups::visits& visits) override;

  void forget_visitors(day_number day) override;

  std::vector<storage::link_totals> totals(const std::set<row_key>& link_keys,
                                           scope of) override;

private:
  /// Settles about so many clicks. Returns whether runs came to their end.
  bool settle(settling& rest, int64_t clicks);

  plugins::connection& x_db;
  statement_cache& x_statements;
  memory& x_known;
  click_runs x_runs;
  /// How many links of the batch want a winner.
  size_t x_num_asking = 0;
};

} // namespace turnout::sqlite
