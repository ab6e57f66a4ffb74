#include "plugins/sqlite/long_writes.hpp"

#include "tests/storage/sqlite_connection.hpp"
#include "tests/storage/temporary_directory.hpp"

#include <gtest/gtest.h>

#include <string>

namespace turnout::test {

namespace {

class long_writes_test : public testing::Test {
protected:
  long_writes_test() {
    open();
    run("PRAGMA journal_mode = WAL");
    run("CREATE TABLE numbers (n INTEGER PRIMARY KEY, text TEXT)");
  }

  void open() {
    x_db.reset();
    sqlite3* raw = nullptr;
    EXPECT_EQ(sqlite3_open((x_directory.path() / "test.db").c_str(), &raw),
              SQLITE_OK);
    x_db.reset(raw);
  }

  /// Runs a statement and returns the first column of its last row.
  std::string run(const char* sql) {
    std::string result;
    const auto keep = [](void* to, int, char** values, char**) {
      *static_cast<std::string*>(to) = values[0];
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(x_db.get(), sql, keep, &result, nullptr), SQLITE_OK)
      << sqlite3_errmsg(x_db.get());
    return result;
  }

  void yield_in_long_writes() {
    // The plugin has SQLite's names in a namespace of SOCI.
    sqlite::yield_in_long_writes(
      reinterpret_cast<sqlite_api::sqlite3*>(x_db.get()));
  }

  const sqlite3_io_methods* methods_of(int which) {
    sqlite3_file* file = nullptr;
    EXPECT_EQ(sqlite3_file_control(x_db.get(), "main", which, &file),
              SQLITE_OK);
    return file->pMethods;
  }

private:
  temporary_directory x_directory;
  sqlite_connection x_db;
};

} // namespace

TEST_F(long_writes_test, only_the_writes_of_file_and_log_are_replaced) {
  for (const auto which :
       {SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER}) {
    const auto* before = methods_of(which);
    yield_in_long_writes();
    const auto* after = methods_of(which);
    EXPECT_NE(after->xWrite, before->xWrite);
    EXPECT_EQ(after->xRead, before->xRead);
    EXPECT_EQ(after->xSync, before->xSync);
    EXPECT_EQ(after->xShmMap, before->xShmMap);
    // Once more changes nothing, nor does it call itself.
    yield_in_long_writes();
    EXPECT_EQ(methods_of(which), after);
    open();
    run("SELECT count(*) FROM numbers");
  }
}

TEST_F(long_writes_test, what_is_written_is_read) {
  yield_in_long_writes();
  run("INSERT INTO numbers WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
      " SELECT i + 1 FROM n WHERE i < 20000)"
      " SELECT i, 'text ' || i || hex(zeroblob(100)) FROM n");
  EXPECT_EQ(run("PRAGMA wal_checkpoint(TRUNCATE)"), "0");
  EXPECT_EQ(run("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(run("SELECT sum(n) FROM numbers"), "200010000");
}

} // namespace turnout::test
