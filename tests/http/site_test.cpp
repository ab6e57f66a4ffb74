#include "tests/http/fixture.hpp"

#include <atomic>
#include <thread>

using namespace turnout;
using namespace turnout::test;

namespace {

class site_test : public http_test {};

} // namespace

TEST_F(site_test, applied_rules_hold_for_the_next_request) {
  auto options = test_settings();
  options.http.max_in_flight = 1;
  options.http.trusted_proxies = {};
  options.rate_limit.bad_keys_per_minute = 7;
  const auto& before = where.rules();
  where.apply(options);
  EXPECT_EQ(where.rules().max_in_flight, 1u);
  EXPECT_FALSE(where.rules().clients.trusts(*ip_address::parse("127.0.0.1")));
  EXPECT_EQ(where.bad_keys.peek({}, now()).limit, 7);
  // A request under way may still hold them.
  EXPECT_EQ(before.max_in_flight, 100u);
  EXPECT_TRUE(before.clients.trusts(*ip_address::parse("127.0.0.1")));
}

TEST_F(site_test, rules_belong_together_while_they_change) {
  // 1 in flight goes with trusting 10.0.0.1, 2 with trusting nobody.
  auto one = test_settings();
  one.http.max_in_flight = 1;
  one.http.trusted_proxies = {"10.0.0.1"};
  auto two = test_settings();
  two.http.max_in_flight = 2;
  two.http.trusted_proxies = {};
  where.apply(one);
  const auto proxy = *ip_address::parse("10.0.0.1");
  std::atomic<bool> done = false;
  std::atomic<int64_t> torn = 0;
  std::atomic<int64_t> read = 0;
  std::thread reader{[&] {
    while (!done) {
      const auto& rules = where.rules();
      torn += (rules.max_in_flight == 1) != rules.clients.trusts(proxy);
      ++read;
    }
  }};
  for (auto i = 0; i < 200; ++i)
    where.apply(i % 2 == 0 ? two : one);
  while (read == 0)
    std::this_thread::yield();
  done = true;
  reader.join();
  EXPECT_EQ(torn, 0);
}
