#include "plugins/sqlite/run_agents.hpp"

#include "plugins/sqlite/sql.hpp"

#include <algorithm>

namespace turnout::sqlite {

namespace {

/// How many user agents a run may have. Random ones would cost a row of their
/// own besides that of their click.
constexpr int64_t max_agents = 10'000;

} // namespace

// -- the run that takes clicks ------------------------------------------------

run_agents::run_agents(statement_cache& statements, memory& known, int64_t run)
  : x_statements(statements), x_known(known) {
  int64_t last = 0;
  statement find{x_statements, sql::last_run_agent};
  find.bind(run);
  while (find.next())
    last = find.integer(0);
  // Another process may have added to the run.
  if (x_known.run == run && x_known.last == last)
    return;
  x_known = {run, last, {}};
  statement list{x_statements, sql::list_run_agents};
  list.bind(run);
  while (list.next()) {
    agent x{list.integer(0), {}};
    for (size_t i = 0; i < x.values.size(); ++i)
      x.values[i] = list.text(2 + static_cast<int>(i));
    x_known.agents.emplace(list.text(1), std::move(x));
  }
}

int64_t run_agents::number_of(const plugins::new_click& click) {
  const auto& text = click.event->user_agent;
  const auto values = click.values.begin() + run_agent_values::first;
  const auto found = x_known.agents.find(text);
  if (found != x_known.agents.end()) {
    const auto& x = found->second;
    return std::equal(x.values.begin(), x.values.end(), values) ? x.number : 0;
  }
  if (x_known.last >= max_agents)
    return 0;
  agent x{++x_known.last, {}};
  std::copy_n(values, x.values.size(), x.values.begin());
  if (!x_add)
    x_add.emplace(x_statements, sql::add_run_agent);
  x_add->bind(x_known.run, x.number, text, x.values[0], x.values[1],
              x.values[2]);
  x_add->run();
  return x_known.agents.emplace(text, std::move(x)).first->second.number;
}

// -- any runs -----------------------------------------------------------------

run_agent_values::run_agent_values(statement_cache& statements)
  : x_find(statements, sql::find_run_agent) {
  // nop
}

const run_agent_values::values& run_agent_values::of(int64_t run,
                                                     int64_t agent) {
  const auto [i, is_new] = x_known.try_emplace({run, agent});
  if (is_new) {
    // As the views have it of a file that was damaged: to fail would be to
    // store no click any more.
    i->second.fill("unknown");
    x_find.bind(run, agent);
    while (x_find.next())
      for (size_t n = 0; n < i->second.size(); ++n)
        i->second[n] = x_find.text(static_cast<int>(n));
  }
  return i->second;
}

size_t run_agent_values::place_hash::operator()(
  const std::pair<int64_t, int64_t>& x) const noexcept {
  return std::hash<int64_t>{}(x.first * max_agents + x.second);
}

} // namespace turnout::sqlite
