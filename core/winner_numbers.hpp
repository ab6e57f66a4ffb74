#pragma once

#include "core/winner.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace turnout {

/// What explains the standing of one variant. None of it decides but
/// `ln_evidence`. Rates, probabilities, losses and lifts are fractions.
struct variant_numbers {
  int64_t clicks = 0;
  int64_t conversions = 0;
  /// Clicks as if each stratum had the same mix of variants; `clicks` where
  /// there is one stratum.
  double adjusted_clicks = 0;
  /// Bounds of the 95 % credible interval of the conversion rate.
  double credible_lower = 0;
  double credible_upper = 1;
  double probability_to_be_best = 0;
  /// What the rate is expected to lose against the best other variant.
  double expected_loss = 0;
  /// The other active variant with the highest adjusted rate; nullopt if no
  /// other is active.
  std::optional<size_t> rival;
  /// Rate relative to the rival's, less 1; nullopt when the rival has none.
  std::optional<double> lift;
  /// Bounds of the lift that hold at all times at once: at least -1, and
  /// nullopt for unbounded.
  double lift_lower = -1;
  std::optional<double> lift_upper;
  double ln_evidence = 0;
  /// Whether the variant is active and no other one is known to beat it.
  bool contender = false;

  /// Conversions per click; nullopt without clicks.
  std::optional<double> conversion_rate() const noexcept;

  /// Conversions per adjusted click; nullopt without clicks.
  std::optional<double> adjusted_rate() const noexcept;

  bool operator==(const variant_numbers&) const = default;
};

/// Returns the Mantel-Haenszel ratio of the rates of `i` and `k` over all
/// strata; nullopt when that of `k` is 0.
std::optional<double> rate_ratio(const evidence_table& x, size_t i,
                                 size_t k) noexcept;

/// Explains each variant. Takes up to some milliseconds.
std::vector<variant_numbers> explain(const evidence_table& x);

/// Returns how many more clicks the evidence for `leader` is likely to need if
/// its lift is what it looks like; nullopt when that is 5 % or less.
std::optional<int64_t> clicks_to_decision(const evidence_table& x,
                                          size_t leader) noexcept;

} // namespace turnout
