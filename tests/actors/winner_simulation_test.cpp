#include "tests/actors/winner_simulation.hpp"

#include <gtest/gtest.h>

namespace turnout::test {

namespace {

// Small runs with fixed seeds; bench/winner_simulation does large ones. The
// bounds are what a rate of 5 % (1 %) gives at most with p = 0.001.

constexpr uint64_t seed = 20'261'128;

simulation alike(std::vector<int> weights) {
  simulation x;
  x.rates.assign(weights.size(), 0.05);
  x.weights = std::move(weights);
  x.clicks = 4000;
  return x;
}

} // namespace

TEST(winner_simulation, two_alike_seldom_give_a_winner) {
  EXPECT_LE(simulate_many(alike({50, 50}), 200, seed).wrong, 20);
  EXPECT_LE(simulate_many(alike({90, 10}), 200, seed).wrong, 20);
}

TEST(winner_simulation, more_alike_hardly_ever_give_a_winner) {
  EXPECT_LE(simulate_many(alike({34, 33, 33}), 100, seed).wrong, 5);
  EXPECT_LE(simulate_many(alike({20, 20, 20, 20, 20}), 100, seed).wrong, 5);
}

TEST(winner_simulation, changed_weights_and_late_conversions_deceive_nobody) {
  auto x = alike({50, 50});
  x.delay = 1000;
  x.change_at = 1000;
  x.weights_after = {90, 10};
  x.factor_after = 2;
  EXPECT_LE(simulate_many(x, 200, seed).wrong, 20);
}

TEST(winner_simulation, twice_as_good_is_found_soon) {
  simulation x;
  x.weights = {50, 50};
  x.rates = {0.05, 0.1};
  const auto y = simulate_many(x, 300, seed);
  EXPECT_EQ(y.recommended, y.runs);
  EXPECT_LE(y.wrong, 5);
  EXPECT_LE(y.median_clicks, 1100);
  EXPECT_GE(y.median_clicks, 500) << "too good to be true";
  // A look at every conversion above the threshold, and no more.
  EXPECT_LE(y.evaluations, 0.08 * 1500);
}

TEST(winner_simulation, the_same_seed_ends_the_same_way) {
  simulation x;
  x.weights = {50, 50};
  x.rates = {0.05, 0.1};
  const auto y = simulate(x, 7);
  const auto z = simulate(x, 7);
  EXPECT_EQ(y.recommended, z.recommended);
  EXPECT_EQ(y.clicks, z.clicks);
}

} // namespace turnout::test
