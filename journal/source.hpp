#pragma once

#include "journal/columns.hpp"
#include "journal/connection.hpp"
#include "journal/files.hpp"

#include <vector>

namespace turnout::journal {

/// A segment that is read. Everything throws.
class source {
public:
  explicit source(const segment_file& file);

  const segment_file& file() const noexcept {
    return x_file;
  }

  /// Calls `f` with at most `max` entries after a position, in order. When it
  /// throws, `f` has got all entries before the damage.
  template <class F>
  void read(int64_t position, size_t max, F f) {
    x_after = position;
    x_limit = static_cast<long long>(max);
    x_query.execute();
    while (x_query.fetch()) {
      check(x_row.position);
      x_after = x_row.position;
      f(x_row.take());
    }
  }

  /// Returns the last position, 0 if there is none.
  int64_t last();

  /// Returns the boot of the machine during which the segment was made; empty
  /// if unknown.
  std::string boot();

private:
  // Damaged pages may yield rows of any content.
  void check(int64_t position) const;

  segment_file x_file;
  connection x_db;
  event_row x_row;
  long long x_after = 0;
  long long x_limit = 0;
  soci::statement x_query;
};

} // namespace turnout::journal
