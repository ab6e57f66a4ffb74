#pragma once

#include <cstdint>
#include <string>

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
  std::string x_server;
  std::string x_name;
  std::string x_dsn;
};

} // namespace turnout::test
