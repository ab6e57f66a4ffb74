#pragma once

#include "plugins/sql/event_tables.hpp"
#include "plugins/sqlite/many_rows.hpp"
#include "plugins/sqlite/run_agents.hpp"
#include "plugins/sqlite/statement.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace turnout::sqlite {

/// Writes clicks to a run: those of a link in one row, some rows at a time.
class run_writer {
public:
  /// @param statements must outlive this object, as must the others.
  /// @param fates gets what became of the clicks, `recent` or `stored_before`
  run_writer(statement_cache& statements, run_agents::memory& known,
             int64_t run, const std::vector<plugins::new_click>& clicks,
             std::vector<plugins::click_fate>& fates);

  /// Takes the click of an index. They come link by link.
  void add(size_t index);

  /// Writes what is left.
  void finish();

  /// Returns how many rows were written.
  int64_t num_packs() const noexcept {
    return x_num_packs;
  }

private:
  /// A row: clicks of a link and of a day of their ids.
  struct row {
    std::vector<size_t> indices;
    std::string packed;
  };

  void append(size_t index, row& to);

  void flush();

  /// Writes a full set of rows, unless one of them is there.
  bool write_all();

  void write_each();

  /// Writes those clicks of a row that are not there.
  void write_new(statement& one, const row& x);

  void bind(statement& to, const row& x) const;

  void note_written(const row& x);

  statement_cache& x_statements;
  run_agents x_agents;
  int64_t x_run;
  const std::vector<plugins::new_click>& x_clicks;
  std::vector<plugins::click_fate>& x_fates;
  std::array<row, rows_at_once> x_rows;
  /// How many rows have clicks; the last of them may get more.
  size_t x_used = 0;
  int64_t x_num_packs = 0;
  std::optional<statement> x_all;
};

} // namespace turnout::sqlite
