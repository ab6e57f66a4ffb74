#pragma once

#include "journal/connection.hpp"
#include "journal/event_rows.hpp"
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
    x_rows.start(position, static_cast<int64_t>(max));
    while (x_rows.next()) {
      const auto at = x_rows.position();
      check(at);
      x_after = at;
      f(x_rows.get());
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
  event_rows x_rows;
  int64_t x_after = 0;
};

} // namespace turnout::journal
