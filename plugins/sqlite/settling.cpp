#include "plugins/sqlite/settling.hpp"

#include "core/time.hpp"
#include "plugins/sqlite/packed_clicks.hpp"
#include "plugins/sqlite/sql.hpp"

#include <algorithm>

namespace turnout::sqlite {

namespace {

/// How many clicks may be recent before they are settled; as many more come
/// while they are. The more there are, the more of them share rows, but each
/// report looks into their runs.
constexpr int64_t max_recent = 2'000'000;

/// The same when batches read them, too.
constexpr int64_t max_recent_for_batches = 500'000;

/// Later than any link.
constexpr auto last_link = std::numeric_limits<row_key>::max();

} // namespace

settling::settling(statement_cache& statements) : x_statements(statements) {
  statement get{x_statements, sql::get_settling};
  while (get.next()) {
    x_until = get.integer(0);
    x_link_key = get.integer(1);
  }
  statement list{x_statements, sql::unsettled_runs};
  while (list.next())
    x_runs.push_back({list.integer(0), list.integer(1), list.integer(2),
                      static_cast<day_number>(list.integer(3))});
}

bool settling::is_due(day_number newest_day,
                      bool is_read_by_batches) const noexcept {
  if (x_until != 0)
    return true;
  int64_t clicks = 0;
  for (const auto& x : x_runs)
    clicks += x.clicks;
  // Visitors are forgotten two days after theirs.
  return clicks > (is_read_by_batches ? max_recent_for_batches : max_recent)
         || is_left(newest_day - 1);
}

bool settling::is_left(day_number day) const noexcept {
  return oldest_day() < day;
}

day_number settling::oldest_day() const noexcept {
  auto result = any_day;
  for (const auto& x : x_runs)
    result = std::min(result, x.first_day);
  return result;
}

row_key settling::end_of_part(int64_t clicks) const {
  int64_t all = 0;
  for (const auto& x : x_runs)
    if (x.number <= x_until)
      all += x.clicks;
  auto result = last_link;
  statement find{x_statements, sql::end_of_part};
  // Runs may have different links, so that each has its say.
  for (const auto& x : x_runs) {
    if (x.number > x_until || x.clicks == 0)
      continue;
    const auto share = static_cast<double>(x.packs) / static_cast<double>(all);
    find.bind(x.number, x_link_key,
              static_cast<int64_t>(static_cast<double>(clicks) * share));
    while (find.next())
      result = std::min<row_key>(result, find.integer(0));
  }
  return result;
}

int64_t settling::read_part(row_key last, run_agent_values& agents,
                            plugins::rollups& sums) {
  int64_t result = 0;
  statement read{x_statements, sql::clicks_of_part};
  for (const auto& run : x_runs) {
    if (run.number > x_until)
      break;
    read.bind(run.number, x_link_key, last);
    while (read.next()) {
      each_click(read.bytes(1), [&](const packed_click& packed) {
        click x;
        x.link_key = read.integer(0);
        x.id = packed.id;
        x.variant_key = packed.variant_key;
        x.stratum = packed.stratum;
        x.is_repeat = packed.is_repeat;
        x.created_at = from_micros(packed.created_at);
        x.visitor = packed.visitor;
        const auto* known
          = packed.agent == 0 ? nullptr : &agents.of(run.number, packed.agent);
        sums.settle(x, [&](size_t i) -> std::string_view {
          return known == nullptr || i < first_agent_dimension
                   ? packed.values[i]
                   : std::string_view{(*known)[i - first_agent_dimension]};
        });
        ++result;
      });
    }
  }
  x_link_key = last;
  return result;
}

bool settling::next(int64_t clicks, plugins::rollups& sums) {
  if (x_runs.empty())
    return true;
  if (x_until == 0)
    x_until = x_runs.back().number;
  run_agent_values agents{x_statements};
  while (clicks > 0 && x_link_key < last_link)
    clicks -= read_part(end_of_part(clicks), agents, sums);
  if (x_link_key < last_link) {
    note(x_until, x_link_key);
    return false;
  }
  statement end{x_statements, sql::end_settling};
  end.bind(x_until);
  end.run();
  note(0, 0);
  return true;
}

void settling::note(int64_t until, row_key link_key) {
  statement set{x_statements, sql::set_settling};
  set.bind(until, link_key);
  set.run();
}

} // namespace turnout::sqlite
