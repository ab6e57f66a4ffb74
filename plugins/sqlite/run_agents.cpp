#include "plugins/sqlite/run_agents.hpp"

#include "plugins/sqlite/sql.hpp"

#include <algorithm>

namespace turnout::sqlite {

namespace {

/// How many user agents a run may have. Random ones would cost a row of their
/// own besides that of their click.
constexpr int64_t max_agents = 10'000;

agent_values values_in(const statement& row, int first_column) {
  agent_values result;
  for (auto& x : result)
    x = row.text(first_column++);
  return result;
}

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
  while (list.next())
    x_known.agents.emplace(list.text(1),
                           agent{list.integer(0), values_in(list, 2)});
}

int64_t run_agents::number_of(const plugins::new_click& click) {
  const auto& text = click.event->user_agent;
  const auto values = click.values.begin() + first_agent_dimension;
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

const agent_values& run_agent_values::of(int64_t run, int64_t agent) {
  const auto [i, is_new] = x_known.try_emplace({run, agent});
  if (is_new) {
    // As the views have it of a file that was damaged: to fail would be to
    // store no click any more.
    i->second.fill("unknown");
    x_find.bind(run, agent);
    while (x_find.next())
      i->second = values_in(x_find, 0);
  }
  return i->second;
}

} // namespace turnout::sqlite
