#include "tests/api/harness/api_test.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <stdexcept>

using namespace turnout::test;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// What the operator reads and runs beside a running service.
class upkeep_commands_test : public api_test {
protected:
  /// Changes the store behind the service's back.
  void tamper(const std::string& statement) {
    if (storage_plugin() == "postgresql") {
      if (service->database().number("WITH changed AS (" + statement
                                     + " RETURNING 1) SELECT count(*)"
                                       " FROM changed")
          != 1)
        throw std::runtime_error("the store was not changed");
      return;
    }
    sqlite3* db = nullptr;
    auto file = service->data_dir() / "turnout.db";
    auto failed
      = sqlite3_open(file.c_str(), &db) != SQLITE_OK
        || sqlite3_busy_timeout(db, 30'000) != SQLITE_OK
        || sqlite3_exec(db, statement.c_str(), nullptr, nullptr, nullptr)
             != SQLITE_OK;
    auto changed = failed ? 0 : sqlite3_changes(db);
    sqlite3_close(db);
    if (changed != 1)
      throw std::runtime_error("the store was not changed");
  }
};

size_t count(const std::string& text, const std::string& word) {
  size_t result = 0;
  for (auto pos = text.find(word); pos != std::string::npos;
       pos = text.find(word, pos + 1))
    ++result;
  return result;
}

} // namespace

TEST_F(upkeep_commands_test, it_says_once_where_it_listens) {
  auto line = "listening public=" + service->origin()
              + " operator=" + service->operator_origin() + "\n";
  EXPECT_EQ(count(service->output(), line), 1u);
  EXPECT_EQ(count(service->output(), "listening"), 1u);
  // Ready means ready.
  service->restart();
  EXPECT_EQ(get(links_path).status, 200);
  EXPECT_EQ(count(service->output(), "listening"), 2u);
}

TEST_F(upkeep_commands_test, verify_tells_and_repairs_differences) {
  auto link = make_split(100, 0);
  visit_many(text(link, "slug"), 5);
  expect_counts(link, 5);
  // It has nothing to repair, but settles recent clicks.
  auto settled = service->run({"verify", "--repair"});
  EXPECT_EQ(settled.status, 0) << settled.out;
  tamper("UPDATE variant_totals SET clicks = 41 WHERE clicks = 5");
  for (int i = 0; i < 2; ++i) {
    auto found = service->run({"verify"});
    EXPECT_EQ(found.status, 1);
    EXPECT_THAT(found.out, HasSubstr("clicks=41"));
    EXPECT_THAT(found.out, HasSubstr(text(link, "slug")));
    EXPECT_THAT(found.err, HasSubstr("verify --repair"));
    EXPECT_EQ(std::count(found.err.begin(), found.err.end(), '\n'), 1);
  }
  auto repaired = service->run({"verify", "--repair"});
  EXPECT_THAT(repaired.out, HasSubstr("clicks=41"));
  auto agreed = service->run({"verify"});
  EXPECT_EQ(agreed.status, 0) << agreed.out;
  EXPECT_THAT(agreed.err, IsEmpty());
  expect_counts(link, 5);
}
