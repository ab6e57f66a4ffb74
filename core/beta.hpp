#pragma once

namespace turnout {

/// A Beta distribution: what is believed of a rate after `a` - 1 successes and
/// `b` - 1 failures. Both parameters are above 0.
struct beta_distribution {
  double a = 1;
  double b = 1;

  double mean() const noexcept {
    return a / (a + b);
  }

  /// Returns the standard deviation.
  double deviation() const noexcept;

  /// Returns the density at `x`, 0 < x < 1.
  double density(double x) const noexcept;

  /// Returns the probability of at most `x`, 0-1.
  double below(double x) const noexcept;

  /// Returns the probability of more than `x`, exact also when it is tiny.
  double above(double x) const noexcept;

  /// Returns the value that is exceeded with probability 1 - `p`.
  double quantile(double p) const noexcept;
};

} // namespace turnout
