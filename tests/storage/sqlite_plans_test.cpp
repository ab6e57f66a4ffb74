// How SQLite finds the rows of what requests wait for: by an index, however
// many rows there are.

#include "plugins/sqlite/sql.hpp"
#include "storage/plugin_loader.hpp"
#include "tests/storage/sqlite_connection.hpp"
#include "tests/storage/temporary_directory.hpp"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include <algorithm>

namespace turnout::test {

namespace sql = plugins::sql;

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

namespace {

class sqlite_plans_test : public testing::Test {
protected:
  void SetUp() override {
    auto open = storage::load_plugin("sqlite", {TEST_PLUGIN_DIR},
                                     {x_directory.path().string(), {}});
    ASSERT_TRUE(open);
    auto db = (*open)();
    ASSERT_TRUE(db);
    ASSERT_FALSE((*db)->migrate());
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open((x_directory.path() / "turnout.db").c_str(), &raw),
              SQLITE_OK);
    x_db.reset(raw);
    load_click_functions(raw, TEST_PLUGIN_DIR);
  }

  /// Returns the steps of a statement's plan.
  std::vector<std::string> plan_of(const std::string& statement) {
    std::vector<std::string> result;
    sqlite3_stmt* raw = nullptr;
    auto text = "EXPLAIN QUERY PLAN " + statement;
    if (sqlite3_prepare_v2(x_db.get(), text.c_str(), -1, &raw, nullptr)
        != SQLITE_OK)
      throw std::runtime_error{sqlite3_errmsg(x_db.get())};
    while (sqlite3_step(raw) == SQLITE_ROW)
      result.emplace_back(
        reinterpret_cast<const char*>(sqlite3_column_text(raw, 3)));
    sqlite3_finalize(raw);
    return result;
  }

private:
  temporary_directory x_directory;
  sqlite_connection x_db;
};

// Scanning what an inner query returned reads no table: "page" is the one of
// the list of links, "found" the one of counted clicks, "w" some of waiting
// conversions, and the views of sums
// (that of the evidence is "e") have what was searched for. The runs ("r",
// "click_runs") are few, "s" ("settling") is the one row of how far they are
// settled, and a virtual table the clicks of one row.
auto reads_no_whole_table() {
  return Each(testing::AnyOf(
    Not(StartsWith("SCAN")), StartsWith("SCAN ("), "SCAN found", "SCAN page",
    "SCAN daily_sums", "SCAN daily_visitor_sums", "SCAN daily_value_sums",
    "SCAN variant_total_sums", "SCAN e", "SCAN s", StartsWith("SCAN r"),
    "SCAN click_runs", "SCAN all_clicks", "SCAN settling", "SCAN w",
    StartsWith("SCAN c VIRTUAL TABLE"), StartsWith("SCAN p VIRTUAL TABLE")));
}

} // namespace

TEST_F(sqlite_plans_test, case_98_no_request_reads_a_whole_table) {
  for (const char* statement : {sql::link_by_slug,
                                sql::link_by_id,
                                sql::variants_of_link,
                                sql::strata_of_link,
                                sql::list_links,
                                sql::links_before,
                                sql::count_links,
                                sql::links_to_arrange,
                                sqlite::sql::links_to_arrange_by_sums,
                                sql::sums_of_link,
                                sql::top_variant,
                                sql::listed_link,
                                sqlite::sql::totals_of_link,
                                sqlite::sql::recent_clicks_of_link,
                                sqlite::sql::links_asking_for_winner,
                                sqlite::sql::variants_from,
                                sql::first_and_last_day,
                                sql::days_of_link,
                                sql::variants_in_days,
                                sql::visitors_in_days,
                                sql::top_values,
                                sql::excluded_in_days,
                                sql::click_days,
                                sql::count_clicks,
                                sql::list_clicks,
                                sqlite::sql::find_click,
                                sql::mark_converted,
                                sqlite::sql::mark_converted_in_runs,
                                sqlite::sql::click_of_visitor,
                                sqlite::sql::run_of_stored_click,
                                sqlite::sql::newest_run,
                                sqlite::sql::last_run_agent,
                                sqlite::sql::list_run_agents,
                                sqlite::sql::find_run_agent,
                                sqlite::sql::purge_runs,
                                sqlite::sql::find_click_place,
                                sqlite::sql::conversions_arrived_since,
                                sql::count_clicks_to_purge,
                                sqlite::sql::unsettled_runs,
                                sqlite::sql::end_of_part,
                                sqlite::sql::clicks_of_part,
                                sql::evidence_of_generation,
                                sql::clicks_before,
                                sqlite::sql::update_visitor,
                                sql::conversion_by_event,
                                sql::first_conversion_of_click,
                                sql::conversions_of_link,
                                sql::changes_since,
                                sql::recount_daily_visitors}) {
    auto plan = plan_of(statement);
    EXPECT_THAT(plan, Not(IsEmpty())) << statement;
    EXPECT_THAT(plan, reads_no_whole_table()) << statement;
  }
}

TEST_F(sqlite_plans_test, case_98_pages_come_in_the_order_of_an_index) {
  auto is_sorted = HasSubstr("TEMP B-TREE");
  for (const char* statement :
       {sql::links_before, sql::conversions_of_link, sql::changes_since})
    EXPECT_THAT(plan_of(statement), Each(Not(is_sorted))) << statement;
  // Of the clicks only those in runs are sorted.
  for (const char* statement : {sql::list_clicks, sql::clicks_before}) {
    const auto clicks = plan_of(statement);
    ASSERT_THAT(clicks, Not(IsEmpty())) << statement;
    EXPECT_EQ(clicks.front(), "MERGE (UNION ALL)") << statement;
    EXPECT_EQ(std::count_if(clicks.begin(), clicks.end(),
                            [&](auto& step) {
                              return step.find("TEMP B-TREE") != step.npos;
                            }),
              1)
      << statement;
    EXPECT_THAT(clicks.back(), is_sorted) << statement;
  }
  // Only the links of the page are sorted, after their rows were found.
  auto plan = plan_of(sql::list_links);
  auto sorted = std::find_if(plan.begin(), plan.end(), [](auto& step) {
    return step.find("TEMP B-TREE") != std::string::npos;
  });
  auto page = std::find(plan.begin(), plan.end(), "SCAN page");
  ASSERT_NE(page, plan.end());
  EXPECT_GT(sorted, page);
}

TEST_F(sqlite_plans_test, case_98_a_scan_would_be_seen) {
  EXPECT_THAT(plan_of("SELECT * FROM clicks WHERE country = 'DE'"),
              Not(reads_no_whole_table()));
}

} // namespace turnout::test
