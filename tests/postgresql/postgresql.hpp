#pragma once

#include <cstdint>
#include <memory>
#include <string>

struct pg_conn;

namespace turnout::test {

/// A database of its own on a real PostgreSQL server, empty at first and gone
/// at the end. The server is the one that TURNOUT_TEST_POSTGRESQL names by a
/// connection string; without it each process starts one of its own.
class postgresql_database {
public:
  postgresql_database();

  postgresql_database(const postgresql_database&) = delete;

  postgresql_database& operator=(const postgresql_database&) = delete;

  ~postgresql_database();

  /// Connection string of the database.
  const std::string& dsn() const noexcept {
    return x_dsn;
  }

  /// Executes statements, on a connection of their own.
  void execute(const std::string& sql) const;

  /// Returns the first column of the first row, as text.
  std::string text(const std::string& sql) const;

  /// Returns the first column of the first row.
  int64_t number(const std::string& sql) const;

private:
  friend class postgresql_outage;

  std::string x_server;
  std::string x_name;
  std::string x_dsn;
};

/// Ends all connections to a database and lets nobody connect while it lives,
/// as if its server were down.
class postgresql_outage {
public:
  explicit postgresql_outage(const postgresql_database& of);

  postgresql_outage(const postgresql_outage&) = delete;

  postgresql_outage& operator=(const postgresql_outage&) = delete;

  ~postgresql_outage();

  /// Returns the first column of the first row of a query.
  int64_t number(const std::string& sql) const;

private:
  std::string x_server;
  std::string x_name;
  /// The only connection that is left.
  std::unique_ptr<pg_conn, void (*)(pg_conn*)> x_db;
};

} // namespace turnout::test
