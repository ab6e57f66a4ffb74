#include "plugins/sqlite/sqlite_backend.hpp"

#include "plugins/sqlite/click_functions.hpp"
#include "plugins/sqlite/errors.hpp"
#include "plugins/sqlite/long_writes.hpp"
#include "plugins/sqlite/schema.hpp"
#include "plugins/sqlite/sql.hpp"

#include <soci/sqlite3/soci-sqlite3.h>
#include <sqlite3.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

namespace turnout::sqlite {

namespace {

namespace fs = std::filesystem;

/// How long a statement waits for a lock.
constexpr auto busy_timeout = std::chrono::seconds{5};

/// Steps of a statement between two calls of `on_progress`: some 50
/// microseconds.
constexpr int steps_of_progress = 500;

bool is_busy(const soci::sqlite3_soci_error& err) {
  constexpr int busy = 5;
  return (err.result() & 0xff) == busy;
}

/// Switches to write-ahead logging, which stays with the file. Two processes
/// that open a new file at once get in each other's way here, and SQLite does
/// not wait in this case.
void use_write_ahead_log(connection& db) {
  auto deadline = std::chrono::steady_clock::now() + busy_timeout;
  std::string mode;
  for (;;) {
    try {
      db.first(sql::get_journal_mode, std::tie(mode));
      if (mode != "wal")
        db.first(sql::set_journal_mode, std::tie(mode));
      return;
    } catch (const soci::sqlite3_soci_error& err) {
      if (!is_busy(err) || std::chrono::steady_clock::now() > deadline)
        throw;
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
  }
}

} // namespace

sqlite_backend::sqlite_backend(const storage::backend_settings& settings)
  : x_directory(settings.data_dir.empty() ? "." : settings.data_dir),
    x_file(x_directory / "turnout.db") {
  // nop
}

// -- connection ---------------------------------------------------------------

connection& sqlite_backend::open() {
  if (x_connection == nullptr)
    open_file();
  return *x_connection;
}

void sqlite_backend::open_file() {
  std::error_code ignored;
  if (!fs::is_directory(x_directory, ignored))
    fail(ec::unavailable, "The data directory does not exist. Create it, or "
                          "name another one.");
  auto path = x_file.string();
  if (path.find('"') != std::string::npos)
    fail(ec::unavailable, "The path of the data directory contains a double "
                          "quote. Name a directory without one.");
  auto is_new = !fs::exists(x_file, ignored);
  auto db = std::make_unique<connection>(
    soci::sqlite3,
    "db=\"" + path + "\" timeout=" + std::to_string(busy_timeout.count()),
    sql::words);
  // By name, as closing a descriptor of our own would release the locks that
  // other connections of this process have on the file. The log and the shared
  // memory beside it get the same mode.
  if (is_new)
    fs::permissions(x_file, fs::perms::owner_read | fs::perms::owner_write);
  use_write_ahead_log(*db);
  yield_in_long_writes(handle_of(db->session()));
  add_click_functions(handle_of(db->session()));
  for (auto setting : sql::settings)
    db->run_once(setting);
  x_statements = std::make_unique<statement_cache>(handle_of(db->session()));
  x_connection = std::move(db);
  x_takes_batches = false;
}

void sqlite_backend::close() noexcept {
  x_statements.reset();
  x_connection.reset();
  x_known = {};
}

sqlite_backend::verdict
sqlite_backend::handle_exception(const char* what) noexcept {
  verdict result;
  try {
    throw;
  } catch (const soci::sqlite3_soci_error& err) {
    result.reason = translate(err.result(), what);
  } catch (...) {
    result.reason = make_error(ec::internal, std::string{"Cannot "} + what
                                               + ": an unexpected failure.");
  }
  // The next call gets a connection that is in order.
  close();
  return result;
}

const std::vector<storage::migration>& sqlite_backend::schema() const {
  return sqlite::schema();
}

void sqlite_backend::on_progress(std::function<void()> f) {
  x_on_progress = std::move(f);
  x_takes_batches = false;
}

void sqlite_backend::prepare_for_batches(connection& db) {
  db.run_once(sql::cache_batches);
  const auto call = [](void* f) {
    (*static_cast<const std::function<void()>*>(f))();
    return 0; // go on
  };
  sqlite3_progress_handler(handle_of(db.session()),
                           x_on_progress ? steps_of_progress : 0, call,
                           &x_on_progress);
}

void sqlite_backend::prepare_for(connection& db,
                                 const storage::event_batch& batch) {
  if (!std::exchange(x_takes_batches, true))
    prepare_for_batches(db);
  if (!batch.is_part)
    x_known.runs.index.add_most(db, *x_statements);
}

std::unique_ptr<plugins::event_tables> sqlite_backend::tables(connection& db) {
  return std::make_unique<sqlite::event_tables>(db, *x_statements, x_known);
}

// -- retention ----------------------------------------------------------------

caf::expected<int64_t> sqlite_backend::purge_clicks(day_number before) {
  auto result = sql_backend::purge_clicks(before);
  if (!result)
    return result;
  auto err = attempt("purge the ids of old clicks", [&](connection& db) {
    const auto end = to_micros(start_of(before)) / 1000;
    constexpr int64_t hour = int64_t{60} * 60 * 1000;
    auto first = end;
    db.first(sql::first_click_place, std::tie(first), end);
    for (; first < end; first += hour)
      db.run(sql::forget_click_places, first, std::min(end, first + hour));
    db.run(sql::forget_empty_runs);
  });
  if (err)
    return err;
  return result;
}

} // namespace turnout::sqlite
