#include "plugins/sqlite/run_writer.hpp"

#include "core/identifiers.hpp"
#include "core/time.hpp"
#include "plugins/sqlite/packed_clicks.hpp"
#include "plugins/sqlite/sql.hpp"

#include <algorithm>

namespace turnout::sqlite {

using plugins::click_fate;

namespace {

/// Returns whether two clicks belong in one row.
bool go_together(const click& x, const click& y) {
  return x.link_key == y.link_key
         && day_of(time_of(x.id)) == day_of(time_of(y.id));
}

} // namespace

run_writer::run_writer(statement_cache& statements, run_agents::memory& known,
                       int64_t run,
                       const std::vector<plugins::new_click>& clicks,
                       std::vector<click_fate>& fates)
  : x_statements(statements),
    x_agents(statements, known, run),
    x_run(run),
    x_clicks(clicks),
    x_fates(fates) {
  // nop
}

void run_writer::add(size_t index) {
  const auto begins_row
    = x_used == 0
      || !go_together(*x_clicks[x_rows[x_used - 1].indices.front()].event,
                      *x_clicks[index].event);
  if (begins_row) {
    if (x_used == rows_at_once)
      flush();
    auto& x = x_rows[x_used++];
    x.indices.clear();
    x.packed.clear();
  }
  append(index, x_rows[x_used - 1]);
}

void run_writer::append(size_t index, row& to) {
  const auto& click = x_clicks[index];
  const auto& x = *click.event;
  packed_click packed;
  packed.id = x.id;
  packed.variant_key = x.variant_key;
  packed.stratum = x.stratum;
  packed.is_repeat = x.is_repeat;
  packed.created_at = to_micros(x.created_at);
  packed.visitor = x.visitor;
  packed.ip_address = x.ip_address;
  packed.referrer = x.referrer;
  packed.country = x.country;
  packed.agent = x_agents.number_of(click);
  packed.user_agent = x.user_agent;
  std::copy(click.values.begin(), click.values.end(), packed.values.begin());
  pack(packed, to.packed);
  to.indices.push_back(index);
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
                  many_rows_sql(sql::add_packed_clicks, rows_at_once));
  for (const auto& x : x_rows)
    bind(*x_all, x);
  if (!x_all->run_unless_there())
    return false;
  for (const auto& x : x_rows)
    note_written(x);
  return true;
}

void run_writer::write_each() {
  statement one{x_statements, sql::add_packed_clicks};
  for (size_t i = 0; i < x_used; ++i) {
    bind(one, x_rows[i]);
    if (one.run_unless_there())
      note_written(x_rows[i]);
    else
      write_new(one, x_rows[i]);
  }
}

void run_writer::write_new(statement& one, const row& x) {
  statement find{x_statements, sql::run_of_stored_click};
  row rest;
  for (auto i : x.indices) {
    const auto& click = *x_clicks[i].event;
    find.bind(click.link_key, click.id, x_run);
    if (!find.has_row())
      append(i, rest);
  }
  if (rest.indices.empty())
    return;
  bind(one, rest);
  one.run();
  note_written(rest);
}

void run_writer::bind(statement& to, const row& x) const {
  const auto& first = *x_clicks[x.indices.front()].event;
  to.bind(x_run, first.link_key, first.id, blob{x.packed});
}

void run_writer::note_written(const row& x) {
  for (auto i : x.indices)
    x_fates[i] = click_fate::recent;
  ++x_num_packs;
}

} // namespace turnout::sqlite
