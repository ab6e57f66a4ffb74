// The functions with which the schema of the SQLite plugin looks into packed
// clicks, as the shell `sqlite3` gets them too.

#include "tests/storage/sqlite_connection.hpp"

#include <gtest/gtest.h>

#include <string>

namespace turnout::test {

namespace {

class click_functions_test : public testing::Test {
protected:
  click_functions_test() {
    sqlite3* raw = nullptr;
    sqlite3_open(":memory:", &raw);
    x_db.reset(raw);
    load_click_functions(raw, TEST_PLUGIN_DIR);
  }

  /// Returns the first column of the first row, or the error.
  std::string result_of(const std::string& sql) {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(x_db.get(), sql.c_str(), -1, &raw, nullptr)
        != SQLITE_OK)
      return sqlite3_errmsg(x_db.get());
    std::string result;
    const auto code = sqlite3_step(raw);
    if (code == SQLITE_ROW)
      result = reinterpret_cast<const char*>(sqlite3_column_text(raw, 0));
    else if (code != SQLITE_DONE)
      result = sqlite3_errmsg(x_db.get());
    sqlite3_finalize(raw);
    return result;
  }

private:
  sqlite_connection x_db;
};

/// Three places, two of them with the mark 7.
constexpr char three[] = "CAST(packed_place(7, 1, 0) || packed_place(8, 2, 3)"
                         " || packed_place(7, 300, 70000) AS BLOB)";

} // namespace

TEST_F(click_functions_test, give_what_was_packed) {
  EXPECT_EQ(result_of("SELECT id_hi || ' ' || id_lo || ' ' || variant_key"
                      " || ' ' || is_repeat || ' ' || created_at || ' '"
                      " || visitor || ' ' || user_agent || ' ' || country"
                      " || ' ' || country_value || ' ' || system_value"
                      " FROM unpacked(packed_click(5 << 16, -2, 3, 1, 1, 4, -5,"
                      " '8.8.8.0', 'Fox', '', 'DE', 'Germany', 'direct', 'b',"
                      " 'd', 's', 0))"),
            "327680 -2 3 1 4 -5 Fox DE Germany s");
  EXPECT_EQ(result_of(std::string{"SELECT group_concat(mark || ':' || link_key"
                                  " || ':' || run) FROM places("}
                      + three + ")"),
            "7:1:0,8:2:3,7:300:70000");
}

TEST_F(click_functions_test, look_for_a_number_in_the_first_column) {
  const auto marked = [&](const std::string& what) {
    return result_of(std::string{"SELECT coalesce(group_concat(link_key), '')"
                                 " FROM places("}
                     + three + ") WHERE mark = " + what);
  };
  EXPECT_EQ(marked("7"), "1,300");
  EXPECT_EQ(marked("7.0"), "1,300");
  EXPECT_EQ(marked("9"), "");
  EXPECT_EQ(marked("NULL"), "");
  EXPECT_EQ(marked("'8'"), "2");
}

TEST_F(click_functions_test, have_no_rows_without_bytes) {
  for (const char* from :
       {"unpacked", "unpacked(NULL)", "unpacked(x'')", "places", "places('')"})
    EXPECT_EQ(result_of(std::string{"SELECT count(*) FROM "} + from), "0")
      << from;
}

TEST_F(click_functions_test, tell_what_is_damaged) {
  for (const char* from : {"unpacked(x'00')", "unpacked(x'ff')",
                           "places(x'07')", "places('text')"})
    EXPECT_EQ(result_of(std::string{"SELECT count(*) FROM "} + from),
              "database disk image is malformed")
      << from;
}

} // namespace turnout::test
