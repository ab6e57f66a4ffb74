#include "plugins/postgresql/server_connection.hpp"

#include "plugins/postgresql/sql.hpp"
#include "plugins/sql/failure.hpp"

#include <soci/postgresql/soci-postgresql.h>

#include <string_view>

namespace turnout::postgresql {

using plugins::connection;
using plugins::fail;

namespace {

constexpr auto oldest_server = 130000;

} // namespace

std::unique_ptr<connection> connect(const std::string& connect_string) {
  auto result = std::make_unique<connection>(soci::postgresql, connect_string,
                                             sql::words);
  auto* server = raw(*result);
  if (PQserverVersion(server) < oldest_server)
    fail(ec::unavailable, "The database is older than PostgreSQL 13. Upgrade "
                          "it.");
  const auto* encoding = PQparameterStatus(server, "server_encoding");
  if (encoding == nullptr || std::string_view{encoding} != "UTF8")
    fail(ec::unavailable, "The database does not have the encoding UTF8. "
                          "Create one with createdb --encoding=UTF8.");
  result->run_once(sql::settings);
  return result;
}

PGconn* raw(connection& db) {
  auto* session = db.session().get_backend();
  return static_cast<soci::postgresql_session_backend*>(session)->conn_;
}

} // namespace turnout::postgresql
