#pragma once

#include "core/error.hpp"
#include "transfer/record.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace turnout::transfer {

/// One row of a CSV file.
struct csv_row {
  /// Line that it begins on, from 1: a quoted field may hold line ends.
  int64_t line = 0;
  std::vector<std::string> cells;
  /// Why the row cannot be read; empty when it can.
  std::string problem;
};

/// Takes a CSV file apart (RFC 4180, and what spreadsheets make of it): commas,
/// semicolons or tabs, whichever the first line has most of; a byte order mark;
/// any line ends; cells byte for byte, spaces included. A row with a misplaced
/// quote is given with its problem, and reading goes on with the next line.
class csv_reader {
public:
  using row_sink = std::function<caf::error(csv_row)>;

  explicit csv_reader(row_sink sink);

  ~csv_reader();

  /// Takes the next bytes. Fails when the file is no text, when a row has more
  /// than `max_record_bytes`, or with the error of the sink.
  caf::error feed(std::string_view bytes);

  /// Takes the end of the file. A quote that is still open is a problem of the
  /// last row.
  caf::error finish();

private:
  struct state;
  std::unique_ptr<state> x_state;
};

} // namespace turnout::transfer
