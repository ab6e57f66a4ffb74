// What the judging of a conversion costs beside a plain division of counters.

#include "actors/winner_watch.hpp"
#include "core/changes.hpp"

#include <benchmark/benchmark.h>

namespace turnout {

namespace {

constexpr int64_t clicks_of_one = 10'000;

/// A link of `variants` variants with evidence in `strata` strata, undecided.
winner_evidence make_evidence(size_t variants, size_t strata) {
  winner_evidence x;
  x.subject.auto_winner = true;
  std::vector<variant_spec> specs;
  auto left = 100;
  for (size_t i = 0; i < variants; ++i) {
    const auto weight
      = i + 1 < variants ? 100 / static_cast<int>(variants) : left;
    left -= weight;
    specs.push_back({std::string(1, static_cast<char>('A' + i)),
                     "https://example.com/", weight});
  }
  x.subject.variants = make_variants(specs, now());
  for (size_t e = 0; e < strata; ++e) {
    auto y = current_stratum(x.subject);
    y.number = static_cast<int>(e) + 1;
    // Different weights, so that they stay strata of their own.
    const auto moved = static_cast<int>(e);
    y.weights[0].second -= moved;
    y.weights[1].second += moved;
    for (const auto& [id, weight] : y.weights)
      x.counts.push_back({y.number, id, clicks_of_one, clicks_of_one / 20});
    x.strata.push_back(std::move(y));
  }
  return x;
}

storage::link_totals totals_of(const winner_evidence& x) {
  storage::link_totals result;
  result.auto_winner = true;
  for (const auto& v : x.subject.variants)
    result.variants.push_back(
      {v.id, clicks_of_one, clicks_of_one / 20, clicks_of_one / 20});
  return result;
}

/// The plain division of counters that a naive service would do.
void divide_counters(benchmark::State& state) {
  const auto x
    = totals_of(make_evidence(static_cast<size_t>(state.range(0)), 1));
  for (auto _ : state) {
    auto best = 0.0;
    for (const auto& v : x.variants)
      best = std::max(best, static_cast<double>(v.converted)
                              / static_cast<double>(v.clicks));
    benchmark::DoNotOptimize(best);
  }
}

/// The evidence of the variant that converted, from integer counters.
void evaluate_conversion(benchmark::State& state) {
  const auto x = make_table(make_evidence(static_cast<size_t>(state.range(0)),
                                          static_cast<size_t>(state.range(1))));
  for (auto _ : state) {
    auto winner = find_winner(x, 100, 1);
    benchmark::DoNotOptimize(winner);
  }
}

/// All that a conversion has the service do but the store's part: note the
/// totals, take the check, build the table, judge the variant.
void judge_conversion(benchmark::State& state) {
  const auto evidence = make_evidence(static_cast<size_t>(state.range(0)),
                                      static_cast<size_t>(state.range(1)));
  auto totals = totals_of(evidence);
  winner_watch watch{evidence.subject.id};
  watch.note(totals);
  watch.take();
  watch.finish({});
  const auto at = now();
  for (auto _ : state) {
    ++totals.variants[0].converted;
    watch.note(totals);
    const auto check = watch.take();
    auto made = recommend(evidence, check, at);
    benchmark::DoNotOptimize(made);
    watch.finish({});
  }
}

/// What a read of the winner computes.
void explain_all(benchmark::State& state) {
  const auto evidence = make_evidence(static_cast<size_t>(state.range(0)), 1);
  for (auto _ : state) {
    auto report = report_winner(evidence, timestamp{});
    benchmark::DoNotOptimize(report);
  }
}

BENCHMARK(divide_counters)->Arg(2)->Arg(5);
BENCHMARK(evaluate_conversion)
  ->Args({2, 1})
  ->Args({2, 2})
  ->Args({5, 1})
  ->Args({5, 2});
BENCHMARK(judge_conversion)
  ->Args({2, 1})
  ->Args({2, 2})
  ->Args({5, 1})
  ->Args({5, 2});
BENCHMARK(explain_all)->Arg(2)->Arg(5);

} // namespace

} // namespace turnout

BENCHMARK_MAIN();
