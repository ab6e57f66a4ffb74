#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/load_client.hpp"

#include <mutex>
#include <random>
#include <thread>

using namespace turnout::test;

// Nothing acknowledged is lost and nothing counts twice, however often the
// process is killed.

namespace {

constexpr size_t connections = 32;

class crash_test : public api_test {
protected:
  int64_t recorded(const json::value& link) {
    return number(analytics(link), "total_clicks");
  }

  /// Waits until a link has at least `least` clicks and no more come.
  int64_t recorded_at_last(const json::value& link, int64_t least) {
    auto enough = [&] { return recorded(link) >= least; };
    EXPECT_TRUE(eventually(enough, std::chrono::seconds{60}))
      << recorded(link) << " of " << least << " acknowledged clicks";
    auto last = recorded(link);
    for (int calm = 0; calm < 5; ++calm) {
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
      auto now = recorded(link);
      if (now != last)
        calm = -1;
      last = now;
    }
    return last;
  }

  static std::string headers() {
    return "User-Agent: " + browser + "\r\nAccept: text/html\r\n";
  }
};

} // namespace

TEST_F(crash_test, kill_at_a_random_moment_loses_and_doubles_nothing) {
  auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random{seed};
  auto milliseconds = [&](unsigned low, unsigned high) {
    return std::chrono::milliseconds{low + random() % (high - low)};
  };
  std::vector<json::value> links;
  std::vector<std::string> paths;
  for (int i = 0; i < 4; ++i) {
    links.push_back(make_split());
    paths.push_back("/" + text(links.back(), "slug"));
  }
  std::vector<int64_t> before(links.size());
  int64_t all = 0;
  for (int round = 0; round < 10; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    // With a slow drain the journal is full at the kill; with a fast one the
    // kill often comes in the middle of a transaction.
    service->set("TURNOUT_JOURNAL_DRAIN_INTERVAL_MS",
                 round % 3 == 0 ? "20" : "3000");
    service->restart();
    load_client load{service->port(), paths, connections, headers()};
    ASSERT_TRUE(eventually([&] { return load.acknowledged() > 0; }));
    std::this_thread::sleep_for(milliseconds(0, 1500));
    service->kill();
    load.wait_until_cut_off();
    EXPECT_TRUE(load.others().empty());
    service->set("TURNOUT_JOURNAL_DRAIN_INTERVAL_MS", "20");
    service->start();
    if (round % 2 == 1) {
      // Again while the drain is at work.
      std::this_thread::sleep_for(milliseconds(0, 120));
      service->kill();
      service->start();
    }
    // The client may count more requests as unanswered than were in flight: the
    // port still takes a connection for a moment while the process dies.
    int64_t surplus = 0;
    for (size_t i = 0; i < links.size(); ++i) {
      auto& tally = load.by_path()[i];
      auto after = recorded_at_last(links[i], before[i] + tally.acknowledged);
      EXPECT_GE(after - before[i], tally.acknowledged);
      EXPECT_LE(after - before[i], tally.acknowledged + tally.unanswered);
      surplus += after - before[i] - tally.acknowledged;
      before[i] = after;
      all += tally.acknowledged;
    }
    EXPECT_LE(surplus, static_cast<int64_t>(connections));
    auto verify = service->run({"verify"});
    EXPECT_EQ(verify.status, 0) << verify.out << verify.err;
    if (HasFailure())
      return;
  }
  for (size_t i = 0; i < links.size(); ++i) {
    expect_counts(links[i], before[i]);
    expect_sums_agree(links[i]);
  }
  RecordProperty("acknowledged", std::to_string(all));
}

TEST_F(crash_test, an_acknowledged_conversion_survives_the_kill) {
  service->set("TURNOUT_JOURNAL_DRAIN_INTERVAL_MS", "60000");
  service->restart();
  auto link = make_split();
  auto slug = text(link, "slug");
  for (int i = 0; i < 20; ++i) {
    auto click = sticky_cookie(visit(slug));
    if (i % 2 == 0) {
      ASSERT_EQ(post(conversions_path, {{"click_id", click.click_id}}).status,
                201);
    } else {
      send("GET", "/c/" + text(link, "id") + ".gif",
           {{"Cookie", click.header()}, {"User-Agent", browser}});
    }
  }
  service->kill();
  service->set("TURNOUT_JOURNAL_DRAIN_INTERVAL_MS", "50");
  service->start();
  expect_counts(link, 20, 20);
  expect_sums_agree(link);
  EXPECT_EQ(service->run({"verify"}).status, 0);
}

TEST_F(crash_test, acknowledged_links_survive_the_kill) {
  std::mutex mutex;
  std::vector<std::string> acknowledged;
  std::vector<std::thread> threads;
  const auto body
    = json::serialize(json::value{{"name", "x"}, {"variants", two_variants()}});
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&, origin = service->origin()] {
      try {
        http_client client{origin};
        for (;;) {
          const auto made = client.send("POST", links_path,
                                        {{"X-API-Key", secret_key}}, body);
          if (made.status != 201)
            return;
          const std::lock_guard guard{mutex};
          acknowledged.push_back(text(made.json(), "slug"));
        }
      } catch (const std::exception&) {
        // Killed.
      }
    });
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard guard{mutex};
    return acknowledged.size() > 300;
  }));
  service->kill();
  for (auto& x : threads)
    x.join();
  service->start();
  EXPECT_GE(total_links(), static_cast<int64_t>(acknowledged.size()));
  for (const auto& slug : acknowledged)
    ASSERT_EQ(visit(slug).status, 302) << slug;
  EXPECT_EQ(service->run({"verify"}).status, 0);
}

TEST_F(crash_test, acknowledged_changes_survive_the_kill) {
  auto link = make_single("k-1");
  ASSERT_EQ(
    put(path_of(link, "/variants"), one_destination("https://new.example/"))
      .status,
    200);
  auto gone = make_single("k-2");
  ASSERT_EQ(del(path_of(gone)).status, 204);
  service->kill();
  service->start();
  EXPECT_EQ(visit("k-1").header("location"), "https://new.example/");
  EXPECT_EQ(visit("k-2").status, 404);
  EXPECT_EQ(total_links(), 1);
}
