#pragma once

#include "core/time.hpp"
#include "plugins/sql/connection.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace turnout::postgresql {

/// A table that is partitioned by time, in a partition for every so many days.
struct partitioned_table {
  const char* name;
  /// Days of a partition.
  int days;
  /// How many partitions are made ahead.
  int ahead;
  /// Returns the lower bound of the partition that begins with a day.
  int64_t (*bound)(day_number first);
};

/// The clicks of a week, Monday to Sunday, by id: the first half of a UUIDv7
/// begins with its milliseconds.
extern const partitioned_table clicks_table;

/// The visitors of a day.
extern const partitioned_table visitors_table;

/// A partition that is there.
struct partition {
  std::string name;
  day_number first = 0;
};

/// Returns the partitions of a table, oldest first.
std::vector<partition> list_partitions(plugins::connection& db,
                                       const partitioned_table& table);

/// Makes partitions before they are needed.
class partition_maker {
public:
  explicit partition_maker(const partitioned_table& table) : x_table(table) {
    // nop
  }

  /// Makes the partitions of `days`, and those ahead of today, unless they are
  /// known to be there. Nobody who reads or writes the table has to wait. Must
  /// not be called within a transaction.
  void make(plugins::connection& db, const std::set<day_number>& days);

  /// Forgets which partitions are there: somebody may have dropped some.
  void forget() {
    x_known.clear();
  }

private:
  const partitioned_table& x_table;
  /// First days of the partitions that are there.
  std::set<day_number> x_known;
};

} // namespace turnout::postgresql
