#include "actors/rate_limiter.hpp"

#include "core/identifiers.hpp"

#include <gtest/gtest.h>

namespace turnout {

namespace {

using namespace std::chrono_literals;

TEST(rate_limiter, passes_exactly_the_limit) {
  rate_limiter_state state;
  const auto account = make_uuid(now());
  const auto at = start_of(20'000) + 10h + 59min;
  for (int i = 1; i <= 3; ++i) {
    const auto x = state.admit(account, 3, at);
    EXPECT_TRUE(x.allowed);
    EXPECT_EQ(x.limit, 3);
    EXPECT_EQ(x.remaining, 3 - i);
    EXPECT_EQ(x.reset_at, start_of(20'000) + 11h);
  }
  const auto refused = state.admit(account, 3, at);
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.remaining, 0);
}

TEST(rate_limiter, begins_anew_with_the_hour) {
  rate_limiter_state state;
  const auto account = make_uuid(now());
  const auto end = start_of(20'000) + 11h;
  EXPECT_TRUE(state.admit(account, 1, end - 1us).allowed);
  EXPECT_FALSE(state.admit(account, 1, end - 1us).allowed);
  EXPECT_TRUE(state.admit(account, 1, end).allowed);
}

TEST(rate_limiter, counts_accounts_apart) {
  rate_limiter_state state;
  const auto at = now();
  EXPECT_TRUE(state.admit(make_uuid(at), 1, at).allowed);
  EXPECT_TRUE(state.admit(make_uuid(at), 1, at).allowed);
}

TEST(rate_limiter, limit_lowered_below_the_use_shows_nothing_remaining) {
  rate_limiter_state state;
  const auto account = make_uuid(now());
  const auto at = now();
  for (int i = 0; i < 5; ++i)
    state.admit(account, 10, at);
  const auto x = state.admit(account, 2, at);
  EXPECT_FALSE(x.allowed);
  EXPECT_EQ(x.remaining, 0);
}

} // namespace

} // namespace turnout
