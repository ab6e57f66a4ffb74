#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/load_client.hpp"

using namespace turnout::test;

namespace {

/// The journal may hold one MiB and is not drained.
class full_journal_test : public api_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_JOURNAL_MAX_BYTES", "1048576"},
            {"TURNOUT_JOURNAL_DRAIN_INTERVAL_MS", "60000"}};
  }

  int64_t lost() {
    http_client client{service->operator_origin()};
    auto body = client.send("GET", "/metrics").body;
    auto pos = body.find("\nturnout_clicks_lost_total ");
    if (pos == std::string::npos)
      throw std::runtime_error("no metric for lost clicks");
    return std::stoll(body.substr(body.find(' ', pos + 1)));
  }
};

} // namespace

TEST_F(full_journal_test, visits_go_on_and_the_loss_is_told) {
  auto link = make_split();
  EXPECT_EQ(lost(), 0);
  load_client load{service->port(),
                   {"/" + text(link, "slug")},
                   8,
                   "User-Agent: " + browser + std::string(400, 'x') + "\r\n"};
  ASSERT_TRUE(
    eventually([&] { return lost() > 500; }, std::chrono::seconds{60}));
  load.finish();
  EXPECT_TRUE(load.others().empty());
  EXPECT_EQ(load.unanswered(), 0);
  auto told = lost();
  service->set("TURNOUT_JOURNAL_DRAIN_INTERVAL_MS", "50");
  service->restart();
  // What is not lost is there, once each.
  expect_counts(link, load.acknowledged() - told);
}
