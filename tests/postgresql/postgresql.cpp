#include "tests/postgresql/postgresql.hpp"

#include <libpq-fe.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>

namespace turnout::test {

namespace {

/// Runs a command and returns what it wrote, without the line break.
std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe{popen(command.c_str(), "r"),
                                                   &pclose};
  if (pipe == nullptr)
    throw std::runtime_error{"cannot run " + command};
  std::string result;
  std::array<char, 256> buf{};
  while (fgets(buf.data(), buf.size(), pipe.get()) != nullptr)
    result += buf.data();
  while (result.ends_with('\n'))
    result.pop_back();
  return result;
}

/// A server that lives as long as this process.
class private_server {
public:
  private_server()
    : x_directory((std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR")
                                                    : std::string{"/tmp"})
                  + "/turnout-postgresql-" + std::to_string(getpid())),
      x_owner(getpid()) {
    x_dsn = output_of(POSTGRESQL_SCRIPT " start " + x_directory);
    if (x_dsn.empty())
      throw std::runtime_error{"script/postgresql did not start a server"};
  }

  private_server(const private_server&) = delete;

  private_server& operator=(const private_server&) = delete;

  ~private_server() {
    if (getpid() == x_owner)
      output_of(POSTGRESQL_SCRIPT " stop " + x_directory);
  }

  const std::string& dsn() const noexcept {
    return x_dsn;
  }

private:
  std::string x_directory;
  pid_t x_owner;
  std::string x_dsn;
};

std::string server_dsn() {
  if (const auto* shared = std::getenv("TURNOUT_TEST_POSTGRESQL"))
    return shared;
  static const private_server own;
  return own.dsn();
}

using result_ptr = std::unique_ptr<PGresult, decltype(&PQclear)>;

using connection_ptr = std::unique_ptr<PGconn, void (*)(PGconn*)>;

connection_ptr connect(const std::string& dsn) {
  connection_ptr result{PQconnectdb(dsn.c_str()), &PQfinish};
  if (PQstatus(result.get()) != CONNECTION_OK)
    throw std::runtime_error{PQerrorMessage(result.get())};
  return result;
}

result_ptr query(PGconn* db, const std::string& sql) {
  result_ptr result{PQexec(db, sql.c_str()), &PQclear};
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw std::runtime_error{PQresultErrorMessage(result.get())};
  return result;
}

/// Runs statements on a connection of their own.
result_ptr query(const std::string& dsn, const std::string& sql) {
  return query(connect(dsn).get(), sql);
}

std::string first_of(const result_ptr& result) {
  return PQntuples(result.get()) == 0 ? "" : PQgetvalue(result.get(), 0, 0);
}

int64_t number_of(const std::string& text) {
  return text.empty() ? 0 : std::stoll(text);
}

} // namespace

postgresql_database::postgresql_database() : x_server(server_dsn()) {
  std::random_device random;
  x_name = "test_" + std::to_string(getpid()) + '_' + std::to_string(random());
  query(x_server, "CREATE DATABASE " + x_name + " TEMPLATE template0");
  // The last of two values of a key counts.
  x_dsn = x_server + " dbname=" + x_name;
}

postgresql_database::~postgresql_database() {
  try {
    query(x_server, "DROP DATABASE IF EXISTS " + x_name + " WITH (FORCE)");
  } catch (const std::exception& err) {
    std::fprintf(stderr, "cannot drop %s: %s\n", x_name.c_str(), err.what());
  }
}

void postgresql_database::execute(const std::string& sql) const {
  query(x_dsn, sql);
}

std::string postgresql_database::text(const std::string& sql) const {
  return first_of(query(x_dsn, sql));
}

int64_t postgresql_database::number(const std::string& sql) const {
  return number_of(text(sql));
}

postgresql_outage::postgresql_outage(const postgresql_database& of)
  : x_server(of.x_server), x_name(of.x_name), x_db(connect(of.x_dsn)) {
  query(x_server, "ALTER DATABASE " + x_name + " ALLOW_CONNECTIONS false");
  query(x_db.get(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database()"
                    " AND pid <> pg_backend_pid()");
}

postgresql_outage::~postgresql_outage() {
  try {
    query(x_server, "ALTER DATABASE " + x_name + " ALLOW_CONNECTIONS true");
  } catch (const std::exception& err) {
    std::fprintf(stderr, "cannot open %s again: %s\n", x_name.c_str(),
                 err.what());
  }
}

int64_t postgresql_outage::number(const std::string& sql) const {
  return number_of(first_of(query(x_db.get(), sql)));
}

} // namespace turnout::test
