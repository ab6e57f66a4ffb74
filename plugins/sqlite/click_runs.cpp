#include "plugins/sqlite/click_runs.hpp"

#include "core/time.hpp"
#include "plugins/sqlite/run_writer.hpp"
#include "plugins/sqlite/settling.hpp"
#include "plugins/sqlite/sql.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace turnout::sqlite {

using plugins::click_fate;
using plugins::new_click;

namespace {

/// How many clicks of a link a batch may have for these to be few. More share
/// pages and rows of roll-ups enough to write them at once.
constexpr auto max_in_batch = 16;

/// How many recent clicks a link may have, as each report reads them.
constexpr uint32_t max_of_link = 256;

/// Of how many links their number is remembered.
constexpr size_t max_known = 400'000;

/// Clicks that make a run full. A batch changes the more pages of it the longer
/// it is; a list of clicks looks into each run.
constexpr int64_t full_run = 250'000;

/// Returns whether a click is one of those before it.
template <class Iterator>
bool comes_again(Iterator first, Iterator click) {
  return std::any_of(first, click, [&](const new_click& x) {
    return x.event->id == click->event->id;
  });
}

/// Inserts a row of the table of clicks.
bool insert(statement& to, const new_click& click) {
  const auto& x = *click.event;
  const auto& [country, referrer, browser, device, system] = click.values;
  to.bind(x.link_key, x.id, x.variant_key, x.stratum, x.is_repeat,
          to_micros(x.created_at), x.visitor, x.ip_address, x.user_agent,
          x.referrer, x.country, country, referrer, browser, device, system);
  return to.run() == 1;
}

} // namespace

click_runs::click_runs(statement_cache& statements, memory& known)
  : x_statements(statements), x_known(known) {
  // nop
}

void click_runs::begin(const storage::event_batch& batch) {
  x_node = batch.node;
  x_ranges = batch.ranges;
  x_is_part = batch.is_part;
  x_has_conversions = !batch.conversions.empty();
  statement horizons{x_statements, plugins::sql::get_horizons};
  while (horizons.next())
    x_horizon = static_cast<day_number>(
      std::max(horizons.integer(0), horizons.integer(1)));
  find_run();
  if (x_known.is_in_round)
    return;
  statement find{x_statements, sql::find_open_round};
  find.bind(x_node);
  while (find.next())
    x_first_run_of_round = find.integer(0);
}

void click_runs::find_run() {
  int64_t settled_until = 0;
  statement settling{x_statements, sql::get_settling};
  while (settling.next())
    settled_until = settling.integer(0);
  statement newest{x_statements, sql::newest_run};
  while (newest.next())
    if (newest.integer(0) > settled_until && newest.integer(1) < full_run
        && newest.integer(3) == 0)
      x_run = newest.integer(0);
  if (x_run != 0)
    return;
  statement add{x_statements, sql::add_run};
  add.bind(day_of(now()));
  while (add.next())
    x_run = add.integer(0);
}

bool click_runs::is_few(click_iterator first, click_iterator last) const {
  // A conversion must not find the later clicks of its batch, which are kept
  // from it until they are written; recent clicks are not.
  if (last - first > max_in_batch || x_has_conversions)
    return false;
  const auto known = x_known.recent.find(first->event->link_key);
  if (known != x_known.recent.end() && known->second >= max_of_link)
    return false;
  // Visitors of days that are forgotten are counted in another way, and a purge
  // must find everything counted.
  return std::none_of(first, last, [this](const new_click& x) {
    return day_of(x.event->created_at) < x_horizon;
  });
}

std::vector<click_fate> click_runs::add(const std::vector<new_click>& clicks) {
  statement settled{x_statements, sql::add_click};
  std::vector<click_fate> result(clicks.size(), click_fate::stored_before);
  run_writer recent{x_statements, x_known.agents, x_run, clicks, result};
  std::optional<statement> find;
  if (x_first_run_of_round != 0)
    find.emplace(x_statements, sql::run_of_stored_click);
  x_places.reserve(clicks.size());
  for (auto first = clicks.begin(); first != clicks.end();) {
    const auto link_key = first->event->link_key;
    const auto last = std::find_if(first, clicks.end(), [=](auto& x) {
      return x.event->link_key != link_key;
    });
    const auto run = is_few(first, last) ? x_run : 0;
    for (const auto of_link = first; first != last; ++first) {
      const auto& x = *first->event;
      x_newest_day = std::max(x_newest_day, day_of(x.created_at));
      auto& at = x_places.emplace_back(click_place{x.id, link_key, run});
      auto is_stored = false;
      if (find) {
        find->bind(link_key, x.id, x_first_run_of_round);
        while (find->next()) {
          is_stored = true;
          at.run = find->integer(0);
        }
      }
      if (is_stored)
        continue;
      const auto i = static_cast<size_t>(first - clicks.begin());
      if (run != 0) {
        // Those of the table have a key that they alone may have.
        if (!comes_again(of_link, first))
          recent.add(i);
      } else if (insert(settled, *first)) {
        result[i] = click_fate::stored;
      }
    }
  }
  recent.finish();
  auto first_day = settling::any_day;
  for (size_t i = 0; i < clicks.size(); ++i) {
    if (result[i] != click_fate::recent)
      continue;
    first_day = std::min(first_day, day_of(clicks[i].event->created_at));
    ++x_num_recent;
  }
  if (x_num_recent != 0) {
    statement grow{x_statements, sql::grow_run};
    grow.bind(x_num_recent, recent.num_packs(), first_day, x_run);
    grow.run();
  }
  return result;
}

std::vector<uuid> click_runs::index() {
  return x_is_part ? std::vector<uuid>{}
                   : x_known.index.add_rest(x_statements, x_places,
                                            x_first_run_of_round != 0);
}

void click_runs::end() {
  if (!x_is_part) {
    statement close{x_statements, sql::close_round};
    close.bind(x_node);
    close.run();
  } else if (!x_known.is_in_round) {
    statement open{x_statements, sql::open_round};
    for (const auto& x : x_ranges) {
      open.bind(x_node, x.journal, x.last, x_run);
      open.run();
    }
  }
}

void click_runs::committed() {
  if (x_is_part)
    x_known.index.keep(x_places, x_first_run_of_round != 0);
  else
    x_known.index.clear();
  // A round that was cut off is looked for to its end.
  x_known.is_in_round = x_is_part && x_first_run_of_round == 0;
  if (x_known.recent.size() > max_known)
    x_known.recent.clear();
  for (const auto& x : x_places)
    if (x.run != 0)
      ++x_known.recent[x.link_key];
}

} // namespace turnout::sqlite
