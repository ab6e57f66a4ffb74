#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/clock.hpp"
#include "tests/api/harness/load_client.hpp"
#include "tests/storage/sqlite_connection.hpp"

#include <sqlite3.h>

using namespace turnout::test;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// Keeps the service from writing to the store while it lives.
class store_outage {
public:
  virtual ~store_outage() = default;

  /// Returns the number that a query of the store gives.
  virtual int64_t number(const std::string& query) = 0;
};

/// Locks the file.
class sqlite_outage : public store_outage {
public:
  explicit sqlite_outage(const server& service) {
    auto file = service.data_dir() / "turnout.db";
    sqlite3* raw = nullptr;
    auto code = sqlite3_open(file.c_str(), &raw);
    x_db.reset(raw);
    sqlite3_busy_timeout(raw, 30'000);
    if (code != SQLITE_OK
        || sqlite3_exec(raw, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr)
             != SQLITE_OK)
      throw std::runtime_error{sqlite3_errmsg(raw)};
    load_click_functions(raw,
                         std::filesystem::path{TURNOUT_BINARY}.parent_path());
  }

  int64_t number(const std::string& query) override {
    sqlite3_stmt* raw = nullptr;
    sqlite3_prepare_v2(x_db.get(), query.c_str(), -1, &raw, nullptr);
    if (sqlite3_step(raw) != SQLITE_ROW)
      throw std::runtime_error{sqlite3_errmsg(x_db.get())};
    auto result = sqlite3_column_int64(raw, 0);
    sqlite3_finalize(raw);
    return result;
  }

private:
  sqlite_connection x_db;
};

/// Ends all connections and refuses new ones.
class database_outage : public store_outage {
public:
  explicit database_outage(server& service) : x_outage(service.database()) {
    // nop
  }

  int64_t number(const std::string& query) override {
    return x_outage.number(query);
  }

private:
  postgresql_outage x_outage;
};

std::unique_ptr<store_outage> begin_outage(server& service) {
  if (storage_plugin() == "postgresql")
    return std::make_unique<database_outage>(service);
  return std::make_unique<sqlite_outage>(service);
}

class store_outage_test : public api_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_JOURNAL_DRAIN_INTERVAL_MS", "10"}};
  }

  int64_t metric(const std::string& name) {
    http_client client{service->operator_origin()};
    auto body = client.send("GET", "/metrics").body;
    auto pos = body.find("\n" + name + " ");
    if (pos == std::string::npos)
      throw std::runtime_error("no metric " + name);
    return std::stoll(body.substr(body.find(' ', pos + 1)));
  }
};

const auto headers = "User-Agent: " + browser + "\r\n";

} // namespace

TEST_F(store_outage_test, case_51_rows_and_counts_wait_together) {
  auto link = make_split();
  EXPECT_EQ(metric("turnout_drain_failures_total"), 0);
  int64_t visits = 0;
  {
    auto outage = begin_outage(*service);
    load_client load{service->port(), {"/" + text(link, "slug")}, 2, headers};
    // The drain has given a batch up and keeps it.
    ASSERT_TRUE(
      eventually([&] { return metric("turnout_drain_failures_total") > 0; }));
    EXPECT_THAT(service->errors(), HasSubstr("events stay in the journal"));
    // Whoever wants to write is told so, with when to try again.
    auto refused
      = post(links_path, {{"name", "later"}, {"variants", two_variants()}});
    expect_error(refused, 503);
    EXPECT_NE(refused.header("retry-after"), "");
    load.finish();
    EXPECT_THAT(load.others(), IsEmpty());
    EXPECT_EQ(load.unanswered(), 0);
    visits = load.acknowledged();
    EXPECT_GT(visits, 0);
    // Neither counters nor rows ran ahead.
    EXPECT_EQ(outage->number("SELECT count(*) FROM all_clicks"), 0);
    EXPECT_EQ(
      outage->number("SELECT coalesce(sum(clicks), 0) FROM variant_total_sums"),
      0);
  }
  expect_counts(link, visits);
  expect_sums_agree(link);
  EXPECT_EQ(metric("turnout_clicks_lost_total"), 0);
  EXPECT_TRUE(eventually([&] {
    return service->errors().find("the store takes events again")
           != std::string::npos;
  }));
}

TEST_F(store_outage_test, case_94_what_could_not_be_written_comes_once) {
  auto link = make_split();
  load_client load{service->port(), {"/" + text(link, "slug")}, 2, headers};
  // Longer than the drain waits for the lock, so every second try fails.
  for (int i = 0; i < 3; ++i) {
    auto failures = metric("turnout_drain_failures_total");
    auto before = load.acknowledged();
    {
      auto outage = begin_outage(*service);
      ASSERT_TRUE(eventually([&] {
        return metric("turnout_drain_failures_total") > failures
               && load.acknowledged() > before;
      }));
    }
    auto moved = counts_of(link).list_clicks;
    ASSERT_TRUE(
      eventually([&] { return counts_of(link).list_clicks > moved; }));
  }
  load.finish();
  EXPECT_THAT(load.others(), IsEmpty());
  expect_counts(link, load.acknowledged());
  auto verified = service->run({"verify"});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
}

TEST_F(store_outage_test, the_api_answers_503_with_the_last_numbers) {
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
    auto outage = begin_outage(*service);
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
