#include "tests/api/harness/api_test.hpp"

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
