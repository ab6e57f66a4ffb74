#include "core/winner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace turnout {

namespace {

constexpr size_t num_hypotheses = 6;

using by_hypothesis = std::array<double, num_hypotheses>;

/// How many times as well as its rivals a winner may convert.
constexpr by_hypothesis rho{1.05, 1.1, 1.2, 1.5, 2, 3};

/// Their logarithms.
constexpr by_hypothesis ln_rho{0.048790164169432003, 0.09531017980432486,
                               0.1823215567939546,   0.4054651081081644,
                               0.6931471805599453,   1.0986122886681098};

/// Logarithms of their prior weights 1, 2, 3, 3, 2 and 1 twelfths.
constexpr by_hypothesis ln_prior{-2.4849066497880004, -1.791759469228055,
                                 -1.3862943611198906, -1.3862943611198906,
                                 -1.791759469228055,  -2.4849066497880004};

/// Returns ln of the sum of exp(x), without overflow.
double log_sum_exp(const by_hypothesis& x) noexcept {
  const auto top = *std::max_element(x.begin(), x.end());
  auto sum = 0.0;
  for (const auto y : x)
    sum += std::exp(y - top);
  return top + std::log(sum);
}

/// Returns the gain of each hypothesis from the conversions of a pair. A
/// stratum in which one of them got no traffic tells nothing of the pair.
by_hypothesis pair_gains(const evidence_table& x, size_t b, size_t j) noexcept {
  by_hypothesis result{};
  for (const auto& y : x.strata) {
    const auto all = static_cast<double>(y.conversions[b] + y.conversions[j]);
    if (all <= 0 || y.weights[b] <= 0 || y.weights[j] <= 0)
      continue;
    const auto mine = static_cast<double>(y.conversions[b]);
    const auto share = static_cast<double>(y.weights[b])
                       / static_cast<double>(y.weights[b] + y.weights[j]);
    for (size_t m = 0; m < num_hypotheses; ++m)
      result[m] += mine * ln_rho[m] - all * std::log1p(share * (rho[m] - 1));
  }
  return result;
}

template <class F>
int64_t sum_of(const evidence_table& x, F value) noexcept {
  int64_t result = 0;
  for (const auto& y : x.strata)
    for (size_t i = 0; i < x.size; ++i)
      result += value(y, i);
  return result;
}

} // namespace

size_t evidence_table::active() const noexcept {
  return static_cast<size_t>(
    std::count_if(weights.begin(), weights.begin() + size,
                  [](int weight) { return weight > 0; }));
}

int64_t evidence_table::clicks() const noexcept {
  return sum_of(*this, [](auto& x, size_t i) { return x.clicks[i]; });
}

int64_t evidence_table::clicks(size_t i) const noexcept {
  int64_t result = 0;
  for (const auto& x : strata)
    result += x.clicks[i];
  return result;
}

int64_t evidence_table::conversions() const noexcept {
  return sum_of(*this, [](auto& x, size_t i) { return x.conversions[i]; });
}

int64_t evidence_table::conversions(size_t i) const noexcept {
  int64_t result = 0;
  for (const auto& x : strata)
    result += x.conversions[i];
  return result;
}

bool evidence_table::is_consistent() const noexcept {
  for (const auto& x : strata)
    for (size_t i = 0; i < size; ++i)
      if (x.conversions[i] < 0 || x.conversions[i] > x.clicks[i])
        return false;
  return true;
}

double ln_evidence(const evidence_table& x, size_t b) noexcept {
  if (!x.is_active(b))
    return 0;
  by_hypothesis least;
  least.fill(std::numeric_limits<double>::infinity());
  auto has_rival = false;
  for (size_t j = 0; j < x.size; ++j) {
    if (j == b || !x.is_active(j))
      continue;
    has_rival = true;
    const auto gains = pair_gains(x, b, j);
    for (size_t m = 0; m < num_hypotheses; ++m)
      least[m] = std::min(least[m], gains[m]);
  }
  if (!has_rival)
    return 0;
  for (size_t m = 0; m < num_hypotheses; ++m)
    least[m] += ln_prior[m];
  return log_sum_exp(least);
}

double ln_pair_evidence(const evidence_table& x, size_t i, size_t k,
                        double ratio) noexcept {
  auto sums = ln_prior;
  for (const auto& y : x.strata) {
    const auto all = static_cast<double>(y.conversions[i] + y.conversions[k]);
    if (all <= 0 || y.weights[i] <= 0 || y.weights[k] <= 0)
      continue;
    const auto mine = static_cast<double>(y.conversions[i]);
    const auto share = static_cast<double>(y.weights[i])
                       / static_cast<double>(y.weights[i] + y.weights[k]);
    const auto base = std::log1p(share * (ratio - 1));
    for (size_t m = 0; m < num_hypotheses; ++m)
      sums[m] += mine * ln_rho[m]
                 + all * (base - std::log1p(share * (ratio * rho[m] - 1)));
  }
  return log_sum_exp(sums);
}

double confidence_of(double ln_e) noexcept {
  return std::max(0.0, 1 - 2 * std::exp(-ln_e));
}

double evidence_of(double ln_e) noexcept {
  return std::min(std::exp(ln_e), std::numeric_limits<double>::max());
}

std::optional<size_t> find_winner(const evidence_table& x, int64_t threshold,
                                  unsigned candidates) noexcept {
  if (x.clicks() < threshold)
    return std::nullopt;
  std::optional<size_t> result;
  auto most = ln_evidence_required;
  for (size_t b = 0; b < x.size; ++b) {
    if ((candidates >> b & 1u) == 0)
      continue;
    if (const auto ln_e = ln_evidence(x, b); ln_e >= most) {
      most = ln_e;
      result = b;
    }
  }
  return result;
}

} // namespace turnout
