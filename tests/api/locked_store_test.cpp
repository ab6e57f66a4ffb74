#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/clock.hpp"
#include "tests/api/harness/load_client.hpp"

#include <sqlite3.h>

#include <thread>

using namespace turnout::test;

// Another process holds the store's write lock for longer than the service
// waits: the flushes of the drain and all that the API writes fail meanwhile.

namespace {

/// Holds the write lock of a SQLite store.
class store_lock {
public:
  explicit store_lock(const server& service) {
    auto file = service.data_dir() / "turnout.db";
    sqlite3_open(file.c_str(), &x_db);
    sqlite3_busy_timeout(x_db, 10'000);
    if (sqlite3_exec(x_db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr)
        != SQLITE_OK)
      throw std::runtime_error("the store cannot be locked");
  }

  ~store_lock() {
    sqlite3_close(x_db);
  }

  store_lock(const store_lock&) = delete;
  store_lock& operator=(const store_lock&) = delete;

private:
  sqlite3* x_db = nullptr;
};

class locked_store_test : public api_test {
protected:
  void SetUp() override {
    if (storage_plugin() != "sqlite")
      GTEST_SKIP() << "locks a file of SQLite";
    api_test::SetUp();
  }

  /// Flushes that failed so far, as the log tells.
  bool has_failed_flush() {
    return service->errors().find("events stay in the journal")
           != std::string::npos;
  }
};

} // namespace

TEST_F(locked_store_test, case_94_failing_flushes_lose_and_double_nothing) {
  auto link = make_split();
  load_client load{service->port(),
                   {"/" + text(link, "slug")},
                   8,
                   "User-Agent: " + browser + "\r\n"};
  for (int round = 0; round < 2; ++round) {
    auto before = load.acknowledged();
    store_lock lock{*service};
    // Longer than the service waits for a lock.
    std::this_thread::sleep_for(std::chrono::seconds{6});
    EXPECT_GT(load.acknowledged(), before) << "visits go on";
    EXPECT_TRUE(eventually([this] { return has_failed_flush(); }));
  }
  load.finish();
  EXPECT_TRUE(load.others().empty());
  EXPECT_EQ(load.unanswered(), 0);
  expect_counts(link, load.acknowledged());
  auto verify = service->run({"verify"});
  EXPECT_EQ(verify.status, 0) << verify.out << verify.err;
}

TEST_F(locked_store_test, the_api_answers_503_with_the_last_numbers) {
  avoid_end_of_hour();
  auto link = make_split();
  auto last = get(links_path);
  ASSERT_EQ(last.status, 200);
  auto unloaded
    = make_link({{"name", "x"},
                 {"variants", two_variants()},
                 {"conversion_redirect_url", "https://t.example/"}});
  auto remaining = std::stol(get(links_path).header("x-ratelimit-remaining"));
  {
    store_lock lock{*service};
    auto answer = get(path_of(link));
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.header("retry-after"), "1");
    EXPECT_EQ(answer.header("x-ratelimit-limit"), "1000000");
    EXPECT_EQ(answer.header("x-ratelimit-reset"),
              last.header("x-ratelimit-reset"));
    EXPECT_EQ(std::stol(answer.header("x-ratelimit-remaining")), remaining);
    EXPECT_EQ(visit(text(link, "slug")).status, 302);
    EXPECT_EQ(send("GET", "/c/" + text(unloaded, "id")).status, 302);
  }
  auto back = get(path_of(link));
  EXPECT_EQ(back.status, 200);
  EXPECT_EQ(std::stol(back.header("x-ratelimit-remaining")), remaining - 1);
}
