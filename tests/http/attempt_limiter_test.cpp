#include "http/attempt_limiter.hpp"

#include <gtest/gtest.h>

#include <string>

using namespace turnout;
using std::chrono::seconds;

namespace {

struct attempt_limiter_test : testing::Test {
  attempt_limiter_test() {
    options.free_failures = 3;
    options.first_wait = seconds{2};
    options.max_wait = seconds{10};
    options.memory = seconds{100};
    options.max_at_once = 4;
    options.max_keys = 8;
  }

  attempt_limiter make() const {
    return attempt_limiter{options};
  }

  void fail(attempt_limiter& x, const std::string& who, int n = 1) {
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(x.begin(who, at), seconds{0});
      x.fail(who, at);
    }
  }

  attempt_limiter::options options;
  timestamp at = from_micros(1'700'000'000'000'000);
};

} // namespace

TEST_F(attempt_limiter_test, each_failure_doubles_the_wait) {
  auto x = make();
  fail(x, "ann", 3);
  for (auto wait : {2, 4, 8, 10, 10}) {
    EXPECT_EQ(x.begin("ann", at), seconds{wait});
    EXPECT_EQ(x.begin("bob", at), seconds{0});
    x.end("bob");
    at += seconds{wait} - std::chrono::milliseconds{1};
    EXPECT_EQ(x.begin("ann", at), seconds{1}) << "asking changes nothing";
    at += std::chrono::milliseconds{1};
    fail(x, "ann");
  }
}

TEST_F(attempt_limiter_test, success_forgives) {
  auto x = make();
  fail(x, "ann", 2);
  EXPECT_EQ(x.begin("ann", at), seconds{0});
  x.succeed("ann");
  EXPECT_EQ(x.size(), 0u);
  fail(x, "ann", 3);
  EXPECT_EQ(x.begin("ann", at), seconds{2});
}

TEST_F(attempt_limiter_test, time_forgives) {
  auto x = make();
  fail(x, "ann", 3);
  at += seconds{101};
  fail(x, "ann", 3);
}

TEST_F(attempt_limiter_test, many_at_once_do_not_slip_through) {
  auto x = make();
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(x.begin("ann", at), seconds{0});
  EXPECT_EQ(x.begin("ann", at), seconds{1});
  for (int i = 0; i < 4; ++i)
    x.fail("ann", at);
  EXPECT_EQ(x.begin("ann", at), seconds{4});
}

TEST_F(attempt_limiter_test, what_says_nothing_leaves_nothing) {
  auto x = make();
  EXPECT_EQ(x.begin("ann", at), seconds{0});
  x.end("ann");
  EXPECT_EQ(x.size(), 0u);
  x.end("nobody");
  x.fail("nobody", at);
  x.succeed("nobody");
  EXPECT_EQ(x.size(), 0u);
}

TEST_F(attempt_limiter_test, memory_is_bounded) {
  auto x = make();
  EXPECT_EQ(x.begin("busy", at), seconds{0});
  for (int i = 0; i < 100; ++i)
    fail(x, "user " + std::to_string(i));
  EXPECT_LE(x.size(), 8u);
  // Who is under way is not forgotten.
  x.fail("busy", at);
  fail(x, "busy", 2);
  EXPECT_EQ(x.begin("busy", at), seconds{2});
}
