#pragma once

#include "plugins/sql/event_tables.hpp"
#include "plugins/sqlite/many_rows.hpp"
#include "plugins/sqlite/run_agents.hpp"
#include "plugins/sqlite/statement.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace turnout::sqlite {

/// Writes clicks to a run, some at a time.
class run_writer {
public:
  /// @param statements must outlive this object, as must the others.
  /// @param fates gets what became of clicks, `recent` or `stored_before`
  run_writer(statement_cache& statements, run_agents::memory& known,
             int64_t run, std::vector<plugins::click_fate>& fates);

  /// Takes a click, which must live until `finish`, and its index in `fates`.
  void add(const plugins::new_click& click, size_t index);

  /// Writes what is left.
  void finish();

private:
  /// A click, its index and the number of its user agent.
  struct row {
    const plugins::new_click* click = nullptr;
    size_t index = 0;
    int64_t agent = 0;
  };

  void flush();

  /// Writes a full set of rows, unless one of them is there.
  bool write_all();

  void write_each();

  void bind(statement& to, const row& x) const;

  statement_cache& x_statements;
  run_agents x_agents;
  int64_t x_run;
  std::vector<plugins::click_fate>& x_fates;
  std::array<row, rows_at_once> x_rows;
  size_t x_used = 0;
  std::optional<statement> x_all;
};

} // namespace turnout::sqlite
