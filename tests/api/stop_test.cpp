#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/load_client.hpp"

#include <signal.h>

#include <thread>

using namespace turnout::test;

namespace {

class stop_test : public api_test {
protected:
  /// Sends SIGTERM and expects exit code 0 within 10 s.
  void expect_clean_stop() {
    service->child().signal(SIGTERM);
    auto status = service->child().wait(std::chrono::seconds{10});
    ASSERT_TRUE(status) << "it still runs after 10 s";
    EXPECT_EQ(*status, 0) << service->errors();
  }
};

} // namespace

TEST_F(stop_test, sigterm_under_full_load_loses_nothing) {
  auto link = make_split();
  auto slug = text(link, "slug");
  int64_t before = 0;
  for (auto interval : {"50", "60000", "200"}) {
    SCOPED_TRACE(interval);
    service->set("TURNOUT_JOURNAL_DRAIN_INTERVAL_MS", interval);
    service->restart();
    load_client load{
      service->port(), {"/" + slug}, 32, "User-Agent: " + browser + "\r\n"};
    ASSERT_TRUE(eventually([&] { return load.acknowledged() > 2000; }));
    expect_clean_stop();
    load.wait_until_cut_off();
    service->set("TURNOUT_JOURNAL_DRAIN_INTERVAL_MS", "50");
    service->start();
    auto& tally = load.by_path()[0];
    auto total = [&] { return number(analytics(link), "total_clicks"); };
    EXPECT_TRUE(
      eventually([&] { return total() >= before + tally.acknowledged; }))
      << total() << " of " << before + tally.acknowledged;
    settle();
    EXPECT_LE(total(), before + tally.acknowledged + tally.unanswered);
    for (auto& [status, n] : load.others())
      EXPECT_EQ(status, 503) << n << " times";
    before = total();
    auto verify = service->run({"verify"});
    EXPECT_EQ(verify.status, 0) << verify.out << verify.err;
  }
  expect_counts(link, before);
}

TEST_F(stop_test, open_connections_do_not_hold_it_up) {
  std::vector<raw_socket> idle;
  for (int i = 0; i < 200; ++i)
    idle.emplace_back(service->port());
  for (size_t i = 0; i < idle.size(); i += 2)
    idle[i].send("GET /half HTTP/1.1\r\nHo");
  http_client metrics{service->operator_origin()};
  metrics.send("GET", "/healthz");
  expect_clean_stop();
}

TEST_F(stop_test, a_stop_right_after_the_start) {
  for (int i = 0; i < 3; ++i) {
    expect_clean_stop();
    service->start();
  }
}

TEST_F(stop_test, an_export_that_nobody_reads_does_not_hold_it_up) {
  auto link = make_split();
  // More than the buffers of a connection hold.
  load_client load{service->port(),
                   {"/" + text(link, "slug")},
                   8,
                   "User-Agent: " + browser + std::string(400, 'u')
                     + "\r\nReferer: https://r.example/"
                     + std::string(2000, 'r') + "\r\n"};
  ASSERT_TRUE(eventually([&] { return load.acknowledged() > 6000; }));
  load.finish();
  expect_counts(link, load.acknowledged());
  raw_socket stuck{service->port()};
  ASSERT_TRUE(stuck.send("GET " + path_of(link, "/clicks.csv")
                         + " HTTP/1.1\r\nHost: x\r\nX-API-Key: " + secret_key
                         + "\r\n\r\n"));
  // Another request is answered meanwhile.
  EXPECT_EQ(get(path_of(link)).status, 200);
  EXPECT_EQ(service->stop(), 0);
  service->start();
  expect_counts(link, load.acknowledged());
}
