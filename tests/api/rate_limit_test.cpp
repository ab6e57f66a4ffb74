#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/clock.hpp"

#include <atomic>
#include <set>
#include <thread>

using namespace turnout::test;

namespace {

/// Makes the limit of the owner small after the fixture used some requests.
class rate_limit_test : public api_test {
protected:
  static constexpr int bad_keys = 50;

  environment settings() const override {
    return {
      {"TURNOUT_RATE_LIMIT_BAD_KEYS_PER_MINUTE", std::to_string(bad_keys)}};
  }

  /// Makes an account with a limit and returns its key, which is unused.
  std::string limited_account(int limit) {
    avoid_end_of_hour();
    auto email = "limited@example.com";
    service->add_user(email);
    auto result
      = service->run({"user", "rate-limit", email, std::to_string(limit)});
    EXPECT_EQ(result.status, 0) << result.err;
    second_key = service->make_key(email, "publishable");
    auto key = service->make_key(email);
    // Restarted, it knows all of it without a request that counts.
    service->restart();
    return key;
  }

  std::string second_key;
};

void expect_limited(const response& x, const std::string& limit) {
  EXPECT_EQ(x.status, 429);
  EXPECT_EQ(x.detail(), "Rate limit exceeded. Please try again later.");
  EXPECT_EQ(x.header("x-ratelimit-limit"), limit);
  EXPECT_EQ(x.header("x-ratelimit-remaining"), "0");
  auto wait = std::stol(x.header("retry-after"));
  EXPECT_GE(wait, 0);
  EXPECT_LE(wait, 3600);
  EXPECT_EQ(x.all("access-control-allow-origin").size(), 1u);
}

} // namespace

TEST_F(rate_limit_test, case_79_exactly_the_limit_passes_at_once) {
  auto key = limited_account(100);
  std::vector<std::thread> threads;
  std::vector<std::vector<int>> statuses(10);
  for (auto& mine : statuses)
    threads.emplace_back([&] {
      http_client client{service->origin()};
      for (int i = 0; i < 20; ++i)
        mine.push_back(
          client.send("GET", links_path, {{"X-API-Key", key}}).status);
    });
  for (auto& x : threads)
    x.join();
  std::map<int, int> seen;
  for (auto& mine : statuses)
    for (auto status : mine)
      ++seen[status];
  EXPECT_EQ(seen, (std::map<int, int>{{200, 100}, {429, 100}}));
  expect_limited(call_as(key, "GET", links_path), "100");
  // Its keys share the limit; others have their own.
  expect_limited(call_as(second_key, "GET", links_path), "100");
  EXPECT_EQ(get(links_path).status, 200);
}

TEST_F(rate_limit_test, it_counts_every_answer_and_spares_visits) {
  auto key = limited_account(3);
  auto link = call_as(key, "POST", links_path,
                      {{"name", "x"}, {"variants", two_variants()}})
                .json();
  EXPECT_EQ(call_as(key, "GET", links_path + "/x").status, 400);
  EXPECT_EQ(call_as(key, "GET", links_path + "/" + unknown_id).status, 404);
  expect_limited(call_as(key, "GET", links_path), "3");
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(visit(text(link, "slug")).status, 302);
}

TEST_F(rate_limit_test, two_hundred_at_once_at_the_edge) {
  auto key = limited_account(150);
  auto request = "GET " + links_path
                 + " HTTP/1.1\r\nHost: x\r\nX-API-Key: " + key + "\r\n\r\n";
  std::vector<raw_socket> sockets;
  for (int i = 0; i < 200; ++i)
    sockets.emplace_back(service->port());
  for (auto& x : sockets)
    ASSERT_TRUE(x.send(request));
  std::map<int, int> seen;
  std::set<std::string> remaining;
  for (auto& x : sockets) {
    auto answer = x.receive();
    ASSERT_TRUE(answer);
    ++seen[answer->status];
    if (answer->status == 200)
      remaining.insert(answer->header("x-ratelimit-remaining"));
  }
  EXPECT_EQ(seen, (std::map<int, int>{{200, 150}, {429, 50}}));
  EXPECT_EQ(remaining.size(), 150u) << "each has a number of its own";
}

TEST_F(rate_limit_test, it_outlives_a_restart_and_spares_visits) {
  auto key = limited_account(5);
  auto link = call_as(key, "POST", links_path,
                      {{"name", "x"}, {"variants", two_variants()}})
                .json();
  EXPECT_EQ(call_as(key, "GET", links_path).header("x-ratelimit-remaining"),
            "3");
  service->restart();
  EXPECT_EQ(call_as(key, "GET", links_path).header("x-ratelimit-remaining"),
            "2");
  service->kill();
  service->start();
  EXPECT_EQ(call_as(key, "GET", links_path).header("x-ratelimit-remaining"),
            "1");
  EXPECT_EQ(call_as(key, "GET", links_path).status, 200);
  expect_limited(call_as(key, "GET", links_path), "5");
  service->restart();
  expect_limited(call_as(key, "GET", links_path), "5");
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(visit(text(link, "slug")).status, 302);
}

TEST_F(rate_limit_test, a_kill_in_the_middle_lets_no_more_pass) {
  constexpr int limit = 300;
  auto key = limited_account(limit);
  std::atomic<int> passed{0};
  auto use_up = [&](size_t n) {
    std::vector<std::thread> threads;
    for (size_t t = 0; t < 4; ++t)
      threads.emplace_back([&, n] {
        try {
          http_client client{service->origin()};
          for (size_t i = 0; i < n; ++i)
            passed
              += client.send("GET", links_path, {{"X-API-Key", key}}).status
                 == 200;
        } catch (const std::exception&) {
          // The service was killed.
        }
      });
    return threads;
  };
  auto threads = use_up(1000);
  eventually([&] { return passed > limit / 4; });
  service->kill();
  for (auto& x : threads)
    x.join();
  auto before = passed.load();
  service->start();
  for (auto& x : use_up(100))
    x.join();
  EXPECT_GT(passed, before);
  // Whatever passed unseen while the process died is among the limit: at most
  // one request on each connection.
  EXPECT_LE(passed, limit);
  EXPECT_GE(passed, limit - 4);
  expect_limited(call_as(key, "GET", links_path), std::to_string(limit));
}

TEST_F(rate_limit_test, a_changed_limit_holds_at_once) {
  auto key = limited_account(2);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(call_as(key, "GET", links_path).status, 200);
  expect_limited(call_as(key, "GET", links_path), "2");
  auto change = [&](const std::string& limit) {
    EXPECT_EQ(
      service->run({"user", "rate-limit", "limited@example.com", limit}).status,
      0);
  };
  change("5");
  EXPECT_TRUE(
    eventually([&] { return call_as(key, "GET", links_path).status == 200; }));
  auto answer = call_as(key, "GET", links_path);
  EXPECT_EQ(answer.header("x-ratelimit-limit"), "5");
  EXPECT_EQ(answer.header("x-ratelimit-remaining"), "1");
  change("1");
  EXPECT_TRUE(eventually([&] {
    return call_as(key, "GET", links_path).header("x-ratelimit-limit") == "1";
  }));
  expect_limited(call_as(key, "GET", links_path), "1");
}

TEST_F(rate_limit_test, every_kind_of_answer_has_the_numbers) {
  auto key = limited_account(4);
  auto remaining = [](const response& x, int status) {
    EXPECT_EQ(x.status, status) << x.body;
    EXPECT_EQ(x.header("x-ratelimit-limit"), "4");
    return x.header("x-ratelimit-remaining");
  };
  EXPECT_EQ(remaining(call_as(key, "GET", "/api/v1/public/nothing"), 404), "3");
  EXPECT_EQ(remaining(call_as(key, "PATCH", links_path), 405), "2");
  EXPECT_EQ(remaining(call_as(key, "POST", links_path, {{"name", ""}}), 422),
            "1");
  EXPECT_EQ(remaining(call_as(key, "POST", links_path,
                              {{"name", std::string(1 << 20, 'x')}}),
                      413),
            "0");
  EXPECT_EQ(remaining(call_as(key, "GET", links_path), 429), "0");
  EXPECT_EQ(remaining(call_as(second_key, "DELETE", links_path), 405), "0");
  auto nobody = send("GET", links_path);
  EXPECT_EQ(nobody.status, 401);
  EXPECT_EQ(nobody.header("x-ratelimit-limit"), std::to_string(bad_keys));
}

TEST_F(rate_limit_test, case_79_bad_keys_are_limited_apart) {
  header_list address{{"X-Forwarded-For", "198.51.100.7"}};
  auto with = [&](const std::string& key) {
    auto headers = address;
    headers.emplace_back("X-API-Key", key);
    return send("GET", links_path, headers);
  };
  std::map<int, int> seen;
  for (int i = 0; i < 4 * bad_keys; ++i)
    ++seen[with("svc_sk_" + std::to_string(i)).status];
  // A window may end in between, which lets as many pass again.
  EXPECT_GE(seen[401], bad_keys);
  EXPECT_LE(seen[401], 2 * bad_keys);
  EXPECT_EQ(seen[401] + seen[429], 4 * bad_keys);
  EXPECT_EQ(with(secret_key).status, 200) << "a good key from that address";
  address[0].second = "203.0.113.7";
  EXPECT_EQ(with("svc_sk_x").status, 401) << "a bad key from another address";
}
