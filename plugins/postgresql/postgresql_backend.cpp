#include "plugins/postgresql/postgresql_backend.hpp"

#include "plugins/postgresql/connect_string.hpp"
#include "plugins/postgresql/errors.hpp"
#include "plugins/postgresql/event_tables.hpp"
#include "plugins/postgresql/schema.hpp"
#include "plugins/postgresql/server_connection.hpp"
#include "plugins/postgresql/sql.hpp"
#include "plugins/postgresql/stall_watch.hpp"

#include <poll.h>
#include <soci/postgresql/soci-postgresql.h>

#include <thread>

namespace turnout::postgresql {

using plugins::access;
using plugins::fail;
using plugins::transaction;

namespace {

// How long the database may take for an answer: a little longer than its own
// time limits (sql::settings, sql::allow_slow_batch), so that it can say what
// was wrong.
constexpr auto usual_patience = std::chrono::seconds{10};
constexpr auto batch_patience = std::chrono::seconds{70};

/// SQLSTATE of a row that no partition is for; nothing else has checks.
constexpr char no_partition[] = "23514";

/// SQLSTATE of a lock that somebody else held for too long.
constexpr char lock_not_available[] = "55P03";

/// Locks a table, but does not wait for long, as everybody else would have to
/// wait behind.
void lock_or_try_again(connection& db, const std::string& table,
                       const char* mode) {
  try {
    db.run_once(sql::wait_briefly_for_locks);
    db.run_once("LOCK TABLE " + table + " IN " + mode + " MODE");
  } catch (const soci::postgresql_soci_error& err) {
    if (err.sqlstate() != lock_not_available)
      throw;
    throw plugins::raced{};
  }
}

} // namespace

postgresql_backend::postgresql_backend(
  const storage::backend_settings& settings)
  : x_connect_string(settings.dsn.empty() ? "" : complete(settings.dsn)) {
  // nop
}

postgresql_backend::~postgresql_backend() {
  close();
}

// -- connection ---------------------------------------------------------------

connection& postgresql_backend::open() {
  if (x_connection == nullptr)
    connect();
  else
    stall_watch::instance().expect(x_connection.get(), usual_patience);
  return *x_connection;
}

void postgresql_backend::connect() {
  if (x_connect_string.empty())
    fail(ec::unavailable, "storage.dsn does not name a database. Set it to "
                          "something like \"host=db.example dbname=turnout "
                          "user=turnout\".");
  x_connection = postgresql::connect(x_connect_string);
  x_listening = false;
  stall_watch::instance().add(x_connection.get(), usual_patience);
}

void postgresql_backend::close() noexcept {
  if (x_connection == nullptr)
    return;
  stall_watch::instance().remove(x_connection.get());
  x_connection.reset();
}

postgresql_backend::verdict
postgresql_backend::handle_exception(const char* what) noexcept {
  verdict result;
  try {
    throw;
  } catch (const soci::soci_error& err) {
    if (x_connection == nullptr) {
      result.reason = translate_connect(err.what(), what);
      return result;
    }
    const auto* known = dynamic_cast<const soci::postgresql_soci_error*>(&err);
    const auto is_lost = PQstatus(raw(*x_connection)) == CONNECTION_BAD;
    auto found
      = translate(known == nullptr ? std::string{} : known->sqlstate(), what);
    result.reason = std::move(found.reason);
    // Whether a transaction was committed whose answer was lost, nobody knows.
    result.is_transient
      = found.is_transient
        && (!found.needs_connection || !x_connection->committing());
    if (known != nullptr && known->sqlstate() == no_partition) {
      x_click_partitions.forget();
      x_visitor_partitions.forget();
      result.is_transient = true;
    }
    if (found.needs_connection || is_lost)
      close();
  } catch (...) {
    result.reason = make_error(ec::internal, std::string{"Cannot "} + what
                                               + ": an unexpected failure.");
    close();
  }
  return result;
}

// -- hooks --------------------------------------------------------------------

const std::vector<storage::migration>& postgresql_backend::schema() const {
  return postgresql::schema();
}

void postgresql_backend::lock_migrations(connection& db) {
  db.run_once(sql::lock_migrations);
}

void postgresql_backend::lock_events(connection& db) {
  db.run_once(sql::lock_events);
}

void postgresql_backend::allow_long_work(connection& db) {
  db.run_once(sql::allow_long_work);
  stall_watch::instance().expect(&db, stall_watch::duration::max());
}

void postgresql_backend::allow_slow_batch(connection& db) {
  db.run_once(sql::allow_slow_batch);
  stall_watch::instance().expect(&db, batch_patience);
}

void postgresql_backend::prepare_for(connection& db,
                                     const storage::event_batch& batch) {
  std::set<day_number> days;
  for (const auto& x : batch.clicks)
    days.insert(day_of(x.created_at));
  if (days.empty())
    return;
  x_click_partitions.make(db, days);
  x_visitor_partitions.make(db, days);
}

std::unique_ptr<plugins::event_tables>
postgresql_backend::tables(connection& db) {
  return std::make_unique<postgresql::event_tables>(db);
}

// -- changes ------------------------------------------------------------------

bool postgresql_backend::wait_for_change(std::chrono::milliseconds timeout) {
  auto notified = false;
  const auto take_notes = [&](PGconn* server) {
    while (auto* note = PQnotifies(server)) {
      notified = true;
      PQfreemem(note);
    }
  };
  const auto err = attempt("wait for changes", [&](connection& db) {
    if (!x_listening) {
      db.run_once(sql::listen);
      x_listening = true;
      // What was changed before is not told.
      notified = true;
      return;
    }
    auto* server = raw(db);
    // Some came with the answers to other statements.
    take_notes(server);
    if (notified)
      return;
    pollfd readable{PQsocket(server), POLLIN, 0};
    poll(&readable, 1, static_cast<int>(timeout.count()));
    if (PQconsumeInput(server) == 0)
      throw soci::postgresql_soci_error{"connection lost", "08006"};
    take_notes(server);
  });
  if (err)
    std::this_thread::sleep_for(timeout);
  return notified;
}

// -- retention ----------------------------------------------------------------

caf::expected<int64_t> postgresql_backend::purge_clicks(day_number before) {
  auto dropped = attempt("purge old clicks", [&](connection& db) {
    plugins::move_clicks_horizon(db, before);
    int64_t result = 0;
    for (const auto& x : list_partitions(db, clicks_table)) {
      if (x.first + clicks_table.days > before)
        break;
      int64_t clicks = 0;
      transaction tx{db, access::write};
      allow_long_work(db);
      // Nobody marks a click in between.
      lock_or_try_again(db, x.name, "SHARE");
      db.session() << "SELECT count(*) FROM " << x.name, soci::into(clicks);
      db.run_once(sql::keep_evidence_begin + x.name + sql::keep_evidence_end);
      lock_or_try_again(db, clicks_table.name, "ACCESS EXCLUSIVE");
      db.run_once("DROP TABLE " + x.name);
      tx.commit();
      result += clicks;
    }
    return result;
  });
  if (!dropped)
    return dropped;
  auto deleted = sql_backend::purge_clicks(before);
  if (!deleted)
    return deleted;
  return *dropped + *deleted;
}

} // namespace turnout::postgresql
