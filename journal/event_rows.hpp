#pragma once

#include "journal/connection.hpp"
#include "journal/journal.hpp"
#include "sqlite/statement.hpp"

namespace turnout::journal {

/// The events of a segment, row by row. Everything throws.
class event_rows {
public:
  /// @param db must outlive this.
  explicit event_rows(connection& db);

  /// Asks for at most `max` rows after a position, in order.
  void start(int64_t after, int64_t max);

  /// Goes on to the first or next row and returns whether there is one.
  bool next() {
    return x_rows.next();
  }

  int64_t position() const;

  /// Makes the entry of the row. Throws for what no writer of ours writes.
  entry get() const;

private:
  sqlite::statement x_rows;
};

} // namespace turnout::journal
