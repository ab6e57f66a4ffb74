#include "tests/storage/contract/raw_store.hpp"

#include "tests/postgresql/postgresql.hpp"
#include "tests/storage/sqlite_connection.hpp"

#include <sqlite3.h>

#include <stdexcept>

namespace turnout::test {

namespace {

class raw_sqlite : public raw_store {
public:
  explicit raw_sqlite(const std::string& file) : x_file(file) {
    // nop
  }

  ~raw_sqlite() override {
    sqlite3_close(x_db);
  }

  void execute(const std::string& sql) override {
    open();
    if (sqlite3_exec(x_db, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
      throw std::runtime_error{sqlite3_errmsg(x_db)};
  }

  int64_t number(const std::string& sql) override {
    open();
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(x_db, sql.c_str(), -1, &statement, nullptr)
        != SQLITE_OK)
      throw std::runtime_error{sqlite3_errmsg(x_db)};
    int64_t result = 0;
    if (sqlite3_step(statement) == SQLITE_ROW)
      result = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return result;
  }

private:
  void open() {
    if (x_db != nullptr)
      return;
    if (sqlite3_open(x_file.c_str(), &x_db) != SQLITE_OK)
      throw std::runtime_error{"cannot open " + x_file};
    load_click_functions(x_db, TEST_PLUGIN_DIR);
    sqlite3_busy_timeout(x_db, 5000);
  }

  std::string x_file;
  sqlite3* x_db = nullptr;
};

class raw_postgresql : public raw_store {
public:
  void execute(const std::string& sql) override {
    x_database.execute(sql);
  }

  int64_t number(const std::string& sql) override {
    return x_database.number(sql);
  }

  const std::string& dsn() const {
    return x_database.dsn();
  }

private:
  postgresql_database x_database;
};

} // namespace

std::unique_ptr<raw_store> make_raw_store(const std::string& plugin,
                                          storage::backend_settings& settings) {
  if (plugin == "sqlite")
    return std::make_unique<raw_sqlite>(settings.data_dir + "/turnout.db");
  if (plugin == "postgresql") {
    auto result = std::make_unique<raw_postgresql>();
    settings.dsn = result->dsn();
    return result;
  }
  throw std::runtime_error{"no raw access to " + plugin};
}

} // namespace turnout::test
