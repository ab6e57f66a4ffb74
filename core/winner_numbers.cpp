#include "core/winner_numbers.hpp"

#include "core/beta.hpp"

#include <boost/math/quadrature/gauss.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace turnout {

namespace {

double to_double(int64_t x) noexcept {
  return static_cast<double>(x);
}

/// Returns the clicks of each variant, standardised for the mix of strata: a
/// variant that was shown when everybody converted less is not to blame.
std::vector<double> adjusted_clicks(const evidence_table& x) {
  std::vector<double> result(x.size);
  const auto all_conversions = x.conversions();
  if (all_conversions == 0) {
    for (size_t i = 0; i < x.size; ++i)
      result[i] = to_double(x.clicks(i));
    return result;
  }
  const auto mean_rate = to_double(all_conversions) / to_double(x.clicks());
  for (const auto& y : x.strata) {
    int64_t clicks = 0;
    int64_t conversions = 0;
    for (size_t i = 0; i < x.size; ++i) {
      clicks += y.clicks[i];
      conversions += y.conversions[i];
    }
    if (clicks == 0)
      continue;
    const auto rate = to_double(conversions) / to_double(clicks);
    for (size_t i = 0; i < x.size; ++i)
      result[i] += to_double(y.clicks[i]) * rate / mean_rate;
  }
  for (size_t i = 0; i < x.size; ++i)
    result[i] = std::max(result[i], to_double(x.conversions(i)));
  return result;
}

/// Returns the largest ratio that the evidence for `i` over `k` excludes, 0 if
/// it excludes none.
double lowest_ratio(const evidence_table& x, size_t i, size_t k) noexcept {
  const auto excludes = [&](double ln_ratio) {
    return ln_pair_evidence(x, i, k, std::exp(ln_ratio))
           >= ln_evidence_required;
  };
  auto low = -40.0;
  auto high = 40.0;
  if (!excludes(low))
    return 0;
  while (high - low > 1e-12) {
    const auto middle = (low + high) / 2;
    (excludes(middle) ? low : high) = middle;
  }
  return std::exp(low);
}

/// Places between which the densities are smooth enough for the quadrature.
std::vector<double> panels(const std::vector<beta_distribution>& beliefs) {
  constexpr double steps[]
    = {-40, -20, -10, -6, -3.5, -1.5, 0, 1.5, 3.5, 6, 10, 20, 40};
  std::vector<double> result{0, 1};
  for (const auto& x : beliefs)
    for (const auto step : steps)
      if (const auto y = x.mean() + step * x.deviation(); y > 0 && y < 1)
        result.push_back(y);
  std::sort(result.begin(), result.end());
  // Adjusted clicks are fractions, so that a density may end at 1 like a root,
  // which takes ever smaller panels.
  const auto ends_like_root
    = [](const beta_distribution& x) { return x.b < 5; };
  if (std::any_of(beliefs.begin(), beliefs.end(), ends_like_root)) {
    auto width = 1 - result[result.size() - 2];
    for (int i = 0; i < 6; ++i) {
      width /= 8;
      result.insert(result.end() - 1, 1 - width);
    }
  }
  return result;
}

/// Computes by Gauss-Legendre quadrature who is best, and what a choice loses:
///     P(i is best) = integral of f_i * prod_{j != i} F_j
///     E[loss of i] = integral of F_i * (1 - prod_{j != i} F_j)
void compare(const std::vector<beta_distribution>& beliefs,
             std::vector<variant_numbers>& result) {
  using rule = boost::math::quadrature::gauss<double, 16>;
  const auto n = beliefs.size();
  std::vector<double> below(n);
  std::vector<double> ln_below(n);
  const auto add = [&](double x, double weight) {
    for (size_t i = 0; i < n; ++i) {
      below[i] = beliefs[i].below(x);
      // From the other tail where the difference to 1 is what counts.
      ln_below[i] = below[i] < 0.9 ? std::log(below[i])
                                   : std::log1p(-beliefs[i].above(x));
    }
    for (size_t i = 0; i < n; ++i) {
      auto others = 0.0;
      for (size_t j = 0; j < n; ++j)
        if (j != i)
          others += ln_below[j];
      result[i].probability_to_be_best
        += weight * beliefs[i].density(x) * std::exp(others);
      result[i].expected_loss += weight * below[i] * -std::expm1(others);
    }
  };
  const auto ends = panels(beliefs);
  for (size_t i = 1; i < ends.size(); ++i) {
    const auto half = (ends[i] - ends[i - 1]) / 2;
    const auto middle = (ends[i] + ends[i - 1]) / 2;
    if (half < std::numeric_limits<double>::epsilon())
      continue;
    for (size_t p = 0; p < rule::abscissa().size(); ++p) {
      const auto offset = half * rule::abscissa()[p];
      const auto weight = half * rule::weights()[p];
      add(middle - offset, weight);
      add(middle + offset, weight);
    }
  }
  // The quadrature may say 1 and a few units in the last place.
  for (auto& x : result)
    x.probability_to_be_best = std::min(x.probability_to_be_best, 1.0);
}

/// Returns the active variant other than `i` with the highest adjusted rate.
std::optional<size_t> best_rival(const evidence_table& x,
                                 const std::vector<variant_numbers>& numbers,
                                 size_t i) {
  std::optional<size_t> result;
  auto highest = -1.0;
  for (size_t k = 0; k < x.size; ++k) {
    const auto rate = numbers[k].adjusted_rate().value_or(0);
    if (k != i && x.is_active(k) && rate > highest) {
      highest = rate;
      result = k;
    }
  }
  return result;
}

bool is_beaten(const evidence_table& x, size_t i) {
  for (size_t j = 0; j < x.size; ++j)
    if (j != i && x.is_active(j)
        && ln_pair_evidence(x, j, i) >= ln_evidence_required)
      return true;
  return false;
}

} // namespace

std::optional<double> variant_numbers::conversion_rate() const noexcept {
  if (clicks == 0)
    return std::nullopt;
  return to_double(conversions) / to_double(clicks);
}

std::optional<double> variant_numbers::adjusted_rate() const noexcept {
  if (adjusted_clicks <= 0)
    return std::nullopt;
  return to_double(conversions) / adjusted_clicks;
}

std::optional<double> rate_ratio(const evidence_table& x, size_t i,
                                 size_t k) noexcept {
  auto above = 0.0;
  auto below = 0.0;
  for (const auto& y : x.strata) {
    const auto both = to_double(y.clicks[i] + y.clicks[k]);
    if (both <= 0)
      continue;
    above += to_double(y.conversions[i]) * to_double(y.clicks[k]) / both;
    below += to_double(y.conversions[k]) * to_double(y.clicks[i]) / both;
  }
  if (below <= 0)
    return std::nullopt;
  return above / below;
}

std::vector<variant_numbers> explain(const evidence_table& x) {
  std::vector<variant_numbers> result(x.size);
  std::vector<beta_distribution> beliefs(x.size);
  const auto adjusted = adjusted_clicks(x);
  for (size_t i = 0; i < x.size; ++i) {
    auto& y = result[i];
    y.clicks = x.clicks(i);
    y.conversions = x.conversions(i);
    y.adjusted_clicks = adjusted[i];
    beliefs[i] = {1 + to_double(y.conversions),
                  1 + y.adjusted_clicks - to_double(y.conversions)};
    y.credible_lower = beliefs[i].quantile(0.025);
    y.credible_upper = beliefs[i].quantile(0.975);
    y.ln_evidence = ln_evidence(x, i);
    y.contender = x.is_active(i) && !is_beaten(x, i);
  }
  compare(beliefs, result);
  for (size_t i = 0; i < x.size; ++i) {
    auto& y = result[i];
    y.rival = best_rival(x, result, i);
    if (!y.rival)
      continue;
    if (const auto ratio = rate_ratio(x, i, *y.rival))
      y.lift = *ratio - 1;
    y.lift_lower = lowest_ratio(x, i, *y.rival) - 1;
    if (const auto ratio = lowest_ratio(x, *y.rival, i); ratio > 0)
      y.lift_upper = 1 / ratio - 1;
  }
  return result;
}

std::optional<int64_t> clicks_to_decision(const evidence_table& x,
                                          size_t leader) noexcept {
  if (!x.is_active(leader))
    return std::nullopt;
  std::optional<size_t> hardest;
  auto least = std::numeric_limits<double>::infinity();
  for (size_t j = 0; j < x.size; ++j) {
    if (j == leader || !x.is_active(j))
      continue;
    if (const auto ln_e = ln_pair_evidence(x, leader, j); ln_e < least) {
      least = ln_e;
      hardest = j;
    }
  }
  if (!hardest)
    return std::nullopt;
  const auto ratio = rate_ratio(x, leader, *hardest);
  if (!ratio || *ratio <= 1.05)
    return std::nullopt;
  const auto missing = ln_evidence_required - ln_evidence(x, leader);
  if (missing <= 0)
    return 0;
  const auto share = to_double(x.weights[leader])
                     / to_double(x.weights[leader] + x.weights[*hardest]);
  const auto theta = share * *ratio / (1 - share + share * *ratio);
  const auto gain = theta * std::log(theta / share)
                    + (1 - theta) * std::log((1 - theta) / (1 - share));
  const auto per_click
    = to_double(x.conversions(leader) + x.conversions(*hardest))
      / to_double(x.clicks());
  const auto result = std::ceil(missing / (per_click * gain));
  if (!(result < 1e15))
    return std::nullopt;
  return static_cast<int64_t>(result);
}

} // namespace turnout
