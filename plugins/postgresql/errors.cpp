#include "plugins/postgresql/errors.hpp"

#include <array>
#include <string_view>

namespace turnout::postgresql {

namespace {

// https://www.postgresql.org/docs/15/errcodes-appendix.html

enum class consequence : uint8_t {
  /// The connection is in order.
  none,
  /// The same transaction may succeed at once.
  try_again,
  /// The connection is of no more use.
  reconnect,
  /// Both.
  reconnect_and_try,
};

struct meaning {
  /// Beginning of the SQLSTATE.
  std::string_view sqlstate;
  consequence then;
  const char* reason;
};

// The first that fits counts.
constexpr std::array meanings{
  meaning{"40001", consequence::try_again,
          "too many changed the same at once. Try again."},
  meaning{"40P01", consequence::try_again,
          "too many changed the same at once. Try again."},
  meaning{"55P03", consequence::none,
          "a table or row was locked for too long. Look into pg_stat_activity "
          "for a session that holds it."},
  meaning{"25006", consequence::reconnect,
          "the database takes no writes: it is a replica. Name the primary in "
          "storage.dsn, or all servers with target_session_attrs=read-write."},
  meaning{"57014", consequence::none,
          "the database did not finish in time. Look into its load and at "
          "pg_stat_activity."},
  meaning{"57P03", consequence::reconnect,
          "the database is starting up or shutting down."},
  meaning{"57P04", consequence::reconnect,
          "the database was dropped. Create it, or name another one in "
          "storage.dsn."},
  meaning{"57P", consequence::reconnect_and_try,
          "the database ended the connection."},
  meaning{"08", consequence::reconnect_and_try,
          "the connection to the database was lost."},
  meaning{"25P03", consequence::reconnect_and_try,
          "the database ended a transaction that took too long."},
  meaning{"26000", consequence::reconnect_and_try,
          "the database has lost a prepared statement. Between Turnout and "
          "PostgreSQL there must be no pooler in transaction mode."},
  meaning{"0A000", consequence::reconnect_and_try,
          "the schema of the database was changed meanwhile."},
  meaning{"53100", consequence::none,
          "the disk of the database is full. Free some space on it."},
  meaning{"53300", consequence::reconnect,
          "the database has too many connections. Raise max_connections, or "
          "lower storage.workers."},
  meaning{"53", consequence::none,
          "the database is short of memory or another resource."},
  meaning{"28", consequence::reconnect,
          "the database refused the user or password of storage.dsn."},
  meaning{"3D000", consequence::reconnect,
          "the database that storage.dsn names does not exist. Create it with "
          "createdb."},
  meaning{"42501", consequence::none,
          "the user of storage.dsn lacks a permission. Make it the owner of "
          "the database."},
  meaning{"42P01", consequence::none,
          "the database does not have the expected tables. Run `turnout "
          "migrate`."},
  meaning{"42703", consequence::none,
          "the database does not have the expected tables. Run `turnout "
          "migrate`."},
  meaning{"XX", consequence::reconnect,
          "the database reports damage. Look into its log."},
};

constexpr char lost[] = "08";

std::string text_of(const std::string& what, const char* reason) {
  return "Cannot " + what + ": " + reason;
}

} // namespace

diagnosis translate(const std::string& sqlstate, const std::string& what) {
  diagnosis result;
  // Integrity constraints.
  if (sqlstate.starts_with("23")) {
    result.reason = make_error(
      ec::conflict, text_of(what, "it contradicts what is stored already."));
    return result;
  }
  const auto known = sqlstate.find_first_not_of(" 0") != std::string::npos;
  const std::string_view state{known ? std::string_view{sqlstate} : lost};
  for (const auto& x : meanings) {
    if (!state.starts_with(x.sqlstate))
      continue;
    result.reason = make_error(ec::unavailable, text_of(what, x.reason));
    result.is_transient = x.then == consequence::try_again
                          || x.then == consequence::reconnect_and_try;
    result.needs_connection = x.then == consequence::reconnect
                              || x.then == consequence::reconnect_and_try;
    return result;
  }
  result.reason = make_error(
    ec::unavailable, text_of(what, "PostgreSQL refused it with SQLSTATE ")
                       + sqlstate + ". Look into its log.");
  result.needs_connection = true;
  return result;
}

caf::error translate_connect(const std::string& message,
                             const std::string& what) {
  constexpr std::array<std::pair<const char*, const char*>, 7> hints{{
    {"password authentication failed", "28P01"},
    {"no password supplied", "28P01"},
    {"no pg_hba.conf entry", "28000"},
    {"role \"", "28000"},
    {"too many clients", "53300"},
    {"remaining connection slots", "53300"},
    {"starting up", "57P03"},
  }};
  for (auto [words, sqlstate] : hints)
    if (message.find(words) != std::string::npos)
      return translate(sqlstate, what).reason;
  if (message.find("database \"") != std::string::npos
      && message.find("does not exist") != std::string::npos)
    return translate("3D000", what).reason;
  if (message.find("session is read-only") != std::string::npos
      || message.find("session is not read-write") != std::string::npos)
    return translate("25006", what).reason;
  return make_error(
    ec::unavailable,
    text_of(what, "the database of storage.dsn cannot be reached. Check that "
                  "it runs, and the address."));
}

} // namespace turnout::postgresql
