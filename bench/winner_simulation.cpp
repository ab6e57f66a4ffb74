// Simulates split tests on the code of the service and prints how often it
// recommends a variant that is not the best, and how soon one that is.

#include "tests/actors/winner_simulation.hpp"

#include <charconv>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

using turnout::test::simulate_many;
using turnout::test::simulation;

namespace {

constexpr double base = 0.05;

struct scenario {
  std::string name;
  simulation what;
  /// Bound of the share of wrong recommendations.
  double bound;
  /// Bound of the median of clicks; 0 means none.
  int64_t median = 0;
};

std::vector<scenario> scenarios(int64_t clicks) {
  std::vector<scenario> result;
  const auto add = [&](std::string name, std::vector<int> weights, double lift,
                       double bound, auto adjust) -> scenario& {
    scenario x;
    x.name = std::to_string(weights.size()) + " variants, " + name;
    x.what.rates.assign(weights.size(), base);
    x.what.rates.back() *= 1 + lift;
    x.what.weights = std::move(weights);
    x.what.clicks = clicks;
    x.bound = bound;
    adjust(x.what);
    return result.emplace_back(std::move(x));
  };
  const auto as_is = [](simulation&) {
    // nop
  };
  const std::vector<int> equal[]
    = {{50, 50}, {34, 33, 33}, {20, 20, 20, 20, 20}};
  const std::vector<int> skewed[] = {{90, 10}, {90, 5, 5}, {90, 3, 3, 2, 2}};
  for (size_t i = 0; i < std::size(equal); ++i) {
    const auto bound = i == 0 ? 0.05 : 0.01;
    add("alike, equal weights", equal[i], 0, bound, as_is);
    add("alike, 90 % on one", skewed[i], 0, bound, as_is);
    add("alike, late conversions", equal[i], 0, bound,
        [](simulation& x) { x.delay = 1000; });
    add("alike, weights change while the base doubles", equal[i], 0, bound,
        [&](simulation& x) {
          x.change_at = x.clicks / 4;
          x.weights_after = skewed[i];
          x.factor_after = 2;
        });
    add("alike, late conversions and changed weights", equal[i], 0, bound,
        [&](simulation& x) {
          x.delay = 1000;
          x.change_at = x.clicks / 4;
          x.weights_after = skewed[i];
        });
    auto& twice = add("one +100 %, equal weights", equal[i], 1, bound, as_is);
    if (i == 0)
      twice.median = 1100;
    add("one +50 %, equal weights", equal[i], 0.5, bound, as_is);
    add("one +100 %, 90 % on another", skewed[i], 1, bound, as_is);
  }
  return result;
}

} // namespace

int main(int argc, char** argv) {
  int64_t runs = 1000;
  int64_t clicks = 20'000;
  int64_t seed = 1;
  int64_t* const options[] = {&runs, &clicks, &seed};
  for (int i = 1; i < argc; ++i) {
    const std::string_view text{argv[i]};
    const auto is_read
      = static_cast<size_t>(i) <= std::size(options)
        && std::from_chars(text.begin(), text.end(), *options[i - 1]).ptr
             == text.end();
    if (!is_read || runs < 10 || runs > 100'000 || clicks < 1000
        || clicks > 10'000'000) {
      std::fputs("usage: winner_simulation [RUNS (10-100000) [CLICKS "
                 "(1000-10000000) [SEED]]]\n",
                 stderr);
      return 2;
    }
  }
  std::printf(
    "%lld split tests a line, up to %lld clicks each, base rate %.0f %%, "
    "a look at every conversion\n\n",
    static_cast<long long>(runs), static_cast<long long>(clicks), base * 100);
  std::printf("%-58s %9s %9s %8s %9s\n", "", "wrong", "(bound)", "decided",
              "median");
  bool all_hold = true;
  for (const auto& x : scenarios(clicks)) {
    const auto y = simulate_many(x.what, static_cast<int>(runs),
                                 static_cast<uint64_t>(seed));
    const auto wrong = static_cast<double>(y.wrong) / y.runs;
    const auto holds
      = wrong <= x.bound
        && (x.median == 0
            || (y.median_clicks > 0 && y.median_clicks <= x.median));
    all_hold = all_hold && holds;
    std::printf(
      "%-58s %7.2f %% %7.0f %% %6.1f %% %9s %s\n", x.name.c_str(), wrong * 100,
      x.bound * 100, static_cast<double>(y.recommended) / y.runs * 100,
      y.median_clicks > 0 ? std::to_string(y.median_clicks).c_str() : "-",
      holds ? "" : "TOO HIGH");
    std::fflush(stdout);
  }
  return all_hold ? 0 : 1;
}
