#include "plugins/postgresql/partitions.hpp"

#include "plugins/postgresql/sql.hpp"
#include "plugins/sql/rows.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace turnout::postgresql {

using plugins::access;
using plugins::connection;
using plugins::transaction;

namespace {

int64_t first_click_id(day_number day) {
  return plugins::first_id(start_of(day));
}

int64_t same_day(day_number day) {
  return day;
}

/// Returns the first day of the partition that a day belongs to. Day 0 was a
/// Thursday.
day_number first_of(const partitioned_table& table, day_number day) {
  const auto monday = table.days == 7 ? 3 : 0;
  auto offset = (day + monday) % table.days;
  if (offset < 0)
    offset += table.days;
  return day - offset;
}

// Names tell the first day by its number, which needs no calendar to be read
// back: `clicks_20525`.

std::string name_of(const partitioned_table& table, day_number first) {
  return std::string{table.name} + '_'
         + (first < 0 ? "m" + std::to_string(-first) : std::to_string(first));
}

void make_one(connection& db, const partitioned_table& table,
              day_number first) {
  const auto name = name_of(table, first);
  transaction tx{db, access::write};
  db.run(sql::lock_partitions);
  const auto present = list_partitions(db, table);
  if (std::none_of(present.begin(), present.end(),
                   [&](auto& x) { return x.first == first; })) {
    // Not "PARTITION OF": that locks the whole table, attaching does not.
    db.run_once("CREATE TABLE IF NOT EXISTS " + name + " (LIKE " + table.name
                + " INCLUDING DEFAULTS INCLUDING INDEXES)");
    db.run_once("ALTER TABLE " + std::string{table.name} + " ATTACH PARTITION "
                + name + " FOR VALUES FROM ("
                + std::to_string(table.bound(first)) + ") TO ("
                + std::to_string(table.bound(first + table.days)) + ")");
  }
  tx.commit();
}

} // namespace

const partitioned_table clicks_table{"clicks", 7, 2, first_click_id};

const partitioned_table visitors_table{"visitors", 1, 3, same_day};

std::vector<partition> list_partitions(connection& db,
                                       const partitioned_table& table) {
  std::vector<partition> result;
  const std::string parent{table.name};
  std::string name;
  db.each(
    sql::partitions_of, std::tie(name),
    [&] {
      partition x{name, 0};
      std::string_view number{name};
      number.remove_prefix(number.rfind('_') + 1);
      const auto is_negative = number.starts_with('m');
      if (is_negative)
        number.remove_prefix(1);
      std::from_chars(number.data(), number.data() + number.size(), x.first);
      if (is_negative)
        x.first = -x.first;
      result.emplace_back(std::move(x));
    },
    parent);
  std::sort(result.begin(), result.end(),
            [](auto& x, auto& y) { return x.first < y.first; });
  return result;
}

void partition_maker::make(connection& db, const std::set<day_number>& days) {
  std::set<day_number> needed;
  for (auto day : days)
    needed.insert(first_of(x_table, day));
  const auto today = first_of(x_table, day_of(now()));
  for (int i = 0; i <= x_table.ahead; ++i)
    needed.insert(today + i * x_table.days);
  for (auto first : needed) {
    if (x_known.contains(first))
      continue;
    make_one(db, x_table, first);
    x_known.insert(first);
  }
}

} // namespace turnout::postgresql
