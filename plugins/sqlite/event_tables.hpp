#pragma once

#include "plugins/sql/connection.hpp"
#include "plugins/sql/event_tables.hpp"
#include "plugins/sqlite/statement.hpp"

#include <span>

namespace turnout::sqlite {

/// Writes events row by row, or a few rows at a time, with statements that are
/// prepared once for a batch.
class event_tables : public plugins::event_tables {
public:
  explicit event_tables(plugins::connection& db);

  std::unordered_map<row_key, row_key>
  links_of_variants(const std::set<row_key>& variant_keys) override;

  std::set<row_key> known_links(const std::set<row_key>& link_keys) override;

  std::vector<bool>
  add_clicks(const std::vector<plugins::new_click>& clicks) override;

  size_t max_recent() const override;

  void add_sums(const plugins::rollups& sums,
                const visitor_counts& uniques) override;

  void settle(row_key link_key) override;

  void settle_all() override;

  visitor_counts add_visitors(const plugins::rollups::visits& visits) override;

  void forget_visitors(day_number day) override;

  std::vector<storage::link_totals> totals(const std::set<row_key>& link_keys,
                                           scope of) override;

private:
  void settle(std::span<const row_key> link_keys);

  void write(const plugins::rollups& sums, const visitor_counts& uniques);

  plugins::connection& x_db;
  sqlite_api::sqlite3* x_raw;
};

} // namespace turnout::sqlite
