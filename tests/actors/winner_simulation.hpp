#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace turnout::test {

/// A split test of which the truth is known.
struct simulation {
  std::vector<int> weights;
  /// Conversion rate of each variant.
  std::vector<double> rates;
  /// Clicks after which it ends undecided.
  int64_t clicks = 20'000;
  int threshold = 100;
  /// Mean number of later clicks that a conversion waits for; 0 means at once.
  double delay = 0;
  /// Click from which the weights below are in force; 0 means never.
  int64_t change_at = 0;
  std::vector<int> weights_after;
  /// What all rates are multiplied by from then on.
  double factor_after = 1;
};

/// How a split test ended.
struct simulation_end {
  /// Variant that was recommended.
  std::optional<size_t> recommended;
  /// Clicks until then, or all of them.
  int64_t clicks = 0;
  /// Evaluations that were made.
  int64_t evaluations = 0;
};

/// Simulates a split test on the code that the service runs: routing table,
/// changes of the link, `winner_watch` and `evaluate_winner`, over a store in
/// memory. The watch hears of every click and conversion, which is as often as
/// can be. Ends with the recommendation. The same seed gives the same end.
simulation_end simulate(const simulation& x, uint64_t seed);

/// What many simulations say.
struct simulation_summary {
  int runs = 0;
  int recommended = 0;
  /// Recommended although another variant converts better or alike.
  int wrong = 0;
  /// Clicks to a right recommendation; 0 when less than half came to one.
  int64_t median_clicks = 0;
  double evaluations = 0;
};

/// Simulates `runs` times with different seeds.
simulation_summary simulate_many(const simulation& x, int runs, uint64_t seed);

} // namespace turnout::test
