#include "plugins/sqlite/run_writer.hpp"

#include "core/time.hpp"
#include "plugins/sqlite/sql.hpp"

#include <string_view>

namespace turnout::sqlite {

using plugins::click_fate;

run_writer::run_writer(statement_cache& statements, run_agents::memory& known,
                       int64_t run, std::vector<click_fate>& fates)
  : x_statements(statements),
    x_agents(statements, known, run),
    x_run(run),
    x_fates(fates) {
  // nop
}

void run_writer::add(const plugins::new_click& click, size_t index) {
  x_rows[x_used++] = {&click, index, x_agents.number_of(click)};
  if (x_used == rows_at_once)
    flush();
}

void run_writer::finish() {
  if (x_used != 0)
    flush();
}

void run_writer::flush() {
  if (x_used < rows_at_once || !write_all())
    write_each();
  x_used = 0;
}

bool run_writer::write_all() {
  if (!x_all)
    x_all.emplace(x_statements,
                  many_rows_sql(sql::add_run_click, rows_at_once));
  for (const auto& x : x_rows)
    bind(*x_all, x);
  if (!x_all->run_unless_there())
    return false;
  for (const auto& x : x_rows)
    x_fates[x.index] = click_fate::recent;
  return true;
}

void run_writer::write_each() {
  statement one{x_statements, sql::add_run_click};
  for (size_t i = 0; i < x_used; ++i) {
    bind(one, x_rows[i]);
    x_fates[x_rows[i].index]
      = one.run_unless_there() ? click_fate::recent : click_fate::stored_before;
  }
}

void run_writer::bind(statement& to, const row& row) const {
  const auto& x = *row.click->event;
  const auto& [country, referrer, browser, device, system] = row.click->values;
  const auto own = [&](const std::string& text) {
    return row.agent == 0 ? std::string_view{text} : std::string_view{};
  };
  to.bind(x_run, x.link_key, x.id, x.variant_key, x.stratum, x.is_repeat, 0,
          to_micros(x.created_at), x.visitor, x.ip_address, own(x.user_agent),
          x.referrer, x.country, country, referrer, own(browser), own(device),
          own(system), row.agent);
}

} // namespace turnout::sqlite
