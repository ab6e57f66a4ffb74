#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace turnout {

// The rule that decides for a winner: pure functions of integer counters. What
// it promises, and why, is in docs/winner.md.

/// Name of the rule, stored with every recommendation.
inline constexpr auto winner_method = "share-evidence-1";

/// Bound of the rate of false recommendations.
inline constexpr double winner_alpha = 0.05;

/// Evidence over every rival that a recommendation takes: 2 / alpha.
inline constexpr double evidence_required = 40;

/// ln `evidence_required`.
inline constexpr double ln_evidence_required = 3.6888794541139363;

/// Most variants that can be compared; a link has no more in force.
inline constexpr size_t max_compared = 5;

/// First visits that were routed under one vector of weights, by variant.
struct stratum_counts {
  /// Weights in percent, 0-100.
  std::array<int, max_compared> weights{};
  std::array<int64_t, max_compared> clicks{};
  /// Clicks that converted, whenever they did.
  std::array<int64_t, max_compared> conversions{};

  bool operator==(const stratum_counts&) const = default;
};

/// All evidence of one generation of a link.
struct evidence_table {
  /// Number of variants, at most `max_compared`.
  size_t size = 0;
  /// Weights in force; a variant is active while its weight is above 0.
  std::array<int, max_compared> weights{};
  /// One per vector of weights.
  std::vector<stratum_counts> strata;

  bool is_active(size_t i) const noexcept {
    return weights[i] > 0;
  }

  /// Returns the number of active variants.
  size_t active() const noexcept;

  int64_t clicks() const noexcept;

  int64_t clicks(size_t i) const noexcept;

  int64_t conversions() const noexcept;

  int64_t conversions(size_t i) const noexcept;

  /// Returns whether the counters are possible at all: nothing is negative and
  /// no variant has more conversions than clicks.
  bool is_consistent() const noexcept;
};

/// Returns ln E_b, the evidence that `b` converts better than each of its
/// active rivals; 0 without rivals and for a variant that is not active. On a
/// conversion of a variant only the evidence of that variant can rise.
double ln_evidence(const evidence_table& x, size_t b) noexcept;

/// Returns the logarithm of the evidence that `i` converts more than `ratio`
/// times as well as `k`, whatever others do. Falls as `ratio` (above 0) grows.
double ln_pair_evidence(const evidence_table& x, size_t i, size_t k,
                        double ratio = 1) noexcept;

/// Returns the confidence that belongs to a logarithm of evidence, 0-1; 0.95
/// where a recommendation is made.
double confidence_of(double ln_e) noexcept;

/// Returns E of ln E, at most the largest finite number.
double evidence_of(double ln_e) noexcept;

/// Returns the candidate to recommend, if `x` gives it evidence enough over
/// every active rival and has at least `threshold` clicks.
/// @param candidates bit i stands for variant i; others are not evaluated.
std::optional<size_t> find_winner(const evidence_table& x, int64_t threshold,
                                  unsigned candidates = ~0u) noexcept;

} // namespace turnout
