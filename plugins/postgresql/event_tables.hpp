#pragma once

#include "plugins/sql/connection.hpp"
#include "plugins/sql/event_tables.hpp"

namespace turnout::postgresql {

/// Writes events by whole arrays, as each statement is a way to the database
/// and back. Rows are written in the order of their keys, so that nodes that
/// write the same ones wait for each other rarely in a circle.
class event_tables : public plugins::event_tables {
public:
  explicit event_tables(plugins::connection& db) : x_db(db) {
    // nop
  }

  std::vector<row_key>
  links_of_variants(const std::vector<row_key>& variant_keys) override;

  std::set<row_key> known_links(const std::set<row_key>& link_keys) override;

  std::vector<plugins::click_fate>
  add_clicks(const std::vector<plugins::new_click>& clicks) override;

  void add_sums(const plugins::rollups& sums,
                const visitor_counts& uniques) override;

  visitor_counts add_visitors(const plugins::rollups::visits& visits) override;

  void forget_visitors(day_number day) override;

  std::vector<storage::link_totals> totals(const std::set<row_key>& link_keys,
                                           scope of) override;

private:
  plugins::connection& x_db;
};

} // namespace turnout::postgresql
