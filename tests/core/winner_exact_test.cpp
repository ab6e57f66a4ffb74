#include "core/beta.hpp"
#include "core/winner_numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace turnout {

namespace {

// A second computation by other means: no logarithm of a sum, no quadrature.

using real = long double;

constexpr real rhos[] = {1.05L, 1.1L, 1.2L, 1.5L, 2, 3};

constexpr real priors[]
  = {1 / 12.0L, 2 / 12.0L, 3 / 12.0L, 3 / 12.0L, 2 / 12.0L, 1 / 12.0L};

/// Returns the likelihood ratio that conversions of a pair give, as a product
/// over single conversions.
real pair_product(const evidence_table& x, size_t b, size_t j, real rho) {
  real result = 1;
  for (const auto& y : x.strata) {
    if (y.weights[b] + y.weights[j] == 0)
      continue;
    const auto r
      = static_cast<real>(y.weights[b]) / (y.weights[b] + y.weights[j]);
    const auto of_one = 1 + r * (rho - 1);
    for (int64_t i = 0; i < y.conversions[b]; ++i)
      result *= rho / of_one;
    for (int64_t i = 0; i < y.conversions[j]; ++i)
      result /= of_one;
  }
  return result;
}

real evidence_by_products(const evidence_table& x, size_t b) {
  real result = 0;
  for (size_t m = 0; m < 6; ++m) {
    real least = 0;
    bool has_rival = false;
    for (size_t j = 0; j < x.size; ++j) {
      if (j == b || x.weights[j] == 0)
        continue;
      const auto product = pair_product(x, b, j, rhos[m]);
      least = has_rival ? std::min(least, product) : product;
      has_rival = true;
    }
    result += priors[m] * (has_rival ? least : 1);
  }
  return x.weights[b] == 0 ? 1 : result;
}

class counters {
public:
  explicit counters(unsigned seed) : x_random(seed) {
    // nop
  }

  int64_t below(int64_t bound) {
    return std::uniform_int_distribution<int64_t>{0, bound - 1}(x_random);
  }

  evidence_table table(size_t strata, int64_t max_clicks) {
    evidence_table x;
    x.size = static_cast<size_t>(2 + below(4));
    for (size_t e = 0; e < strata; ++e) {
      auto& y = x.strata.emplace_back();
      auto left = 100;
      for (size_t i = 0; i + 1 < x.size; ++i) {
        y.weights[i] = below(6) == 0 ? 0 : static_cast<int>(below(left + 1));
        left -= y.weights[i];
      }
      y.weights[x.size - 1] = left;
      for (size_t i = 0; i < x.size; ++i) {
        if (y.weights[i] == 0)
          continue;
        y.clicks[i] = below(max_clicks);
        y.conversions[i] = below(y.clicks[i] + 1);
      }
    }
    x.weights = x.strata.back().weights;
    return x;
  }

private:
  std::mt19937 x_random;
};

/// P(p_b > p_a) by Evan Miller's closed sum, for whole parameters.
real probability_b_beats_a(const beta_distribution& a,
                           const beta_distribution& b) {
  const auto ln_beta = [](real x, real y) {
    return std::lgamma(x) + std::lgamma(y) - std::lgamma(x + y);
  };
  real result = 0;
  for (int i = 0; i < static_cast<int>(b.a); ++i)
    result += std::exp(ln_beta(a.a + i, a.b + b.b) - std::log(b.b + i)
                       - ln_beta(1.0L + i, b.b) - ln_beta(a.a, a.b));
  return result;
}

} // namespace

TEST(winner_exact, evidence_is_a_product_over_conversions) {
  counters random{20261128};
  for (int n = 0; n < 2000; ++n) {
    const auto x = random.table(static_cast<size_t>(1 + random.below(3)), 300);
    for (size_t b = 0; b < x.size; ++b) {
      const auto expected = std::log(evidence_by_products(x, b));
      ASSERT_NEAR(ln_evidence(x, b), static_cast<double>(expected),
                  1e-9 * std::max<real>(1, std::abs(expected)));
      for (size_t k = 0; k < x.size; ++k) {
        if (k == b)
          continue;
        real pair = 0;
        for (size_t m = 0; m < 6; ++m)
          pair += priors[m] * pair_product(x, b, k, rhos[m]);
        ASSERT_NEAR(ln_pair_evidence(x, b, k),
                    static_cast<double>(std::log(pair)),
                    1e-9 * std::max<real>(1, std::abs(std::log(pair))));
      }
    }
  }
}

TEST(winner_exact, expected_evidence_of_equals_is_one) {
  // Enumerates how many of n conversions were b's, over a change of weights.
  for (const auto& [first, second] : {std::pair{50, 50}, {90, 10}, {99, 1}}) {
    for (int n : {1, 10, 60}) {
      real sum = 0;
      for (int i = 0; i <= n; ++i) {
        for (int k = 0; k <= n; ++k) {
          evidence_table x;
          x.size = 2;
          x.strata.resize(2);
          const auto fill = [&](stratum_counts& y, int weight, int mine) {
            y.weights = {weight, 100 - weight};
            y.conversions = {mine, n - mine};
            y.clicks = y.conversions;
            const auto p = static_cast<real>(weight) / 100;
            return std::exp(std::lgamma(n + 1.0L) - std::lgamma(mine + 1.0L)
                            - std::lgamma(n - mine + 1.0L) + mine * std::log(p)
                            + (n - mine) * std::log1p(-p));
          };
          const auto odds
            = fill(x.strata[0], first, i) * fill(x.strata[1], second, k);
          x.weights = x.strata[1].weights;
          sum += odds * std::exp(static_cast<real>(ln_evidence(x, 0)));
        }
      }
      EXPECT_NEAR(static_cast<double>(sum), 1, 1e-9) << first << ' ' << n;
    }
  }
}

TEST(winner_exact, probabilities_of_two_are_a_closed_sum) {
  counters random{7};
  for (int n = 0; n < 60; ++n) {
    evidence_table x;
    x.size = 2;
    auto& y = x.strata.emplace_back();
    y.weights = {50, 50};
    for (size_t i = 0; i < 2; ++i) {
      y.clicks[i] = 1 + random.below(3000);
      y.conversions[i] = random.below(y.clicks[i] / (1 + random.below(20)) + 1);
    }
    x.weights = y.weights;
    const auto belief = [&](size_t i) {
      return beta_distribution{
        1.0 + static_cast<double>(y.conversions[i]),
        1.0 + static_cast<double>(y.clicks[i] - y.conversions[i])};
    };
    const auto p
      = static_cast<double>(probability_b_beats_a(belief(0), belief(1)));
    const auto numbers = explain(x);
    ASSERT_NEAR(numbers[1].probability_to_be_best, p, 1e-8);
    ASSERT_NEAR(numbers[0].probability_to_be_best, 1 - p, 1e-8);
    // E[p_1 - p_0] is the difference of the two losses.
    ASSERT_NEAR(numbers[0].expected_loss - numbers[1].expected_loss,
                belief(1).mean() - belief(0).mean(), 1e-8);
  }
}

TEST(winner_exact, probabilities_add_up_to_one) {
  counters random{11};
  for (int n = 0; n < 60; ++n) {
    const auto x = random.table(2, n % 2 == 0 ? 20 : 200'000);
    double sum = 0;
    for (const auto& y : explain(x)) {
      ASSERT_GE(y.probability_to_be_best, 0);
      ASSERT_LE(y.probability_to_be_best, 1);
      sum += y.probability_to_be_best;
    }
    ASSERT_NEAR(sum, 1, 1e-8);
  }
}

TEST(winner_exact, bounds_of_the_lift_are_where_the_evidence_is_forty) {
  counters random{13};
  for (int n = 0; n < 300; ++n) {
    const auto x = random.table(2, 500);
    const auto numbers = explain(x);
    for (size_t i = 0; i < x.size; ++i) {
      const auto& y = numbers[i];
      if (!y.rival)
        continue;
      const auto k = *y.rival;
      if (y.lift_lower > -1) {
        ASSERT_NEAR(ln_pair_evidence(x, i, k, 1 + y.lift_lower),
                    ln_evidence_required, 1e-6);
      } else {
        ASSERT_LT(ln_pair_evidence(x, i, k, 1e-12), ln_evidence_required);
      }
      if (y.lift_upper) {
        ASSERT_NEAR(ln_pair_evidence(x, k, i, 1 / (1 + *y.lift_upper)),
                    ln_evidence_required, 1e-6);
        ASSERT_LT(y.lift_lower, *y.lift_upper);
      }
      // Recommended means better than every rival at all times.
      if (y.ln_evidence >= ln_evidence_required) {
        ASSERT_GT(y.lift_lower, 0);
      }
    }
  }
}

TEST(winner_exact, at_most_one_variant_has_evidence_over_all) {
  counters random{17};
  for (int n = 0; n < 2000; ++n) {
    const auto x = random.table(1, 400);
    int above = 0;
    for (size_t b = 0; b < x.size; ++b)
      above += x.is_active(b) && ln_evidence(x, b) > 1e-12 ? 1 : 0;
    ASSERT_LE(above, x.active() > 1 ? 1 : 0);
  }
}

TEST(winner_exact, a_conversion_raises_only_its_own_evidence) {
  counters random{19};
  for (int n = 0; n < 500; ++n) {
    auto x = random.table(2, 300);
    const auto v = static_cast<size_t>(random.below(int64_t(x.size)));
    std::vector<double> before;
    for (size_t b = 0; b < x.size; ++b)
      before.push_back(ln_evidence(x, b));
    auto& y = x.strata[static_cast<size_t>(random.below(2))];
    if (y.weights[v] == 0)
      continue;
    ++y.clicks[v];
    ++y.conversions[v];
    for (size_t b = 0; b < x.size; ++b)
      if (b != v) {
        ASSERT_LE(ln_evidence(x, b), before[b] + 1e-12);
      }
  }
}

} // namespace turnout
