#include "actors/turn_pace.hpp"

#include <gtest/gtest.h>

namespace turnout {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

struct turn_pace_test : testing::Test {
  /// Has turns of so many events end one after the other, and returns whether
  /// the last one should be followed by a pause.
  bool run(size_t turns, size_t events, microseconds apart) {
    auto result = false;
    for (size_t i = 0; i < turns; ++i)
      result = pace.ends(events, at += apart);
    return result;
  }

  turn_pace pace;
  turn_pace::clock::time_point at{std::chrono::hours{1}};
};

TEST_F(turn_pace_test, a_reactor_with_little_to_do_never_waits) {
  EXPECT_FALSE(run(1, 1, microseconds{0}));
  for (int i = 0; i < 100; ++i)
    ASSERT_FALSE(run(10, 1, microseconds{200}));
}

TEST_F(turn_pace_test, a_busy_one_waits_after_small_turns) {
  EXPECT_TRUE(run(1000, 1, microseconds{50}));
  EXPECT_TRUE(run(1, turn_pace::full_turn - 1, microseconds{50}));
}

TEST_F(turn_pace_test, full_turns_are_not_waited_for) {
  EXPECT_FALSE(run(1000, turn_pace::full_turn, microseconds{200}));
}

TEST_F(turn_pace_test, the_first_visit_after_a_lull_does_not_make_it_wait) {
  EXPECT_TRUE(run(1000, 1, microseconds{50}));
  EXPECT_FALSE(run(1, 1, milliseconds{30}));
  // Nor do those of a short burst, which a window does not hold yet.
  EXPECT_FALSE(run(50, 1, microseconds{50}));
}

} // namespace

} // namespace turnout
