// What telling a crawler from a browser costs, beside asking each name of the
// list in turn.

#include "core/bot_data.hpp"
#include "core/visitor.hpp"

#include <benchmark/benchmark.h>

#include <iterator>
#include <span>

namespace turnout {

namespace {

constexpr std::string_view browsers[] = {
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like "
  "Gecko) Chrome/126.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, "
  "like Gecko) Version/17.5 Safari/605.1.15",
  "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 "
  "(KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Linux; Android 14; CUBOT KINGKONG) AppleWebKit/537.36 (KHTML, "
  "like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36",
};

constexpr std::string_view crawlers[] = {
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "WhatsApp/2.23.20.0",
  "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
};

void classify(benchmark::State& state, std::span<const std::string_view> texts,
              bool is_bot) {
  for (auto x : texts)
    if (classify_bot(x).has_value() != is_bot)
      state.SkipWithError("a user agent is taken for what it is not");
  for (auto _ : state)
    for (auto x : texts)
      benchmark::DoNotOptimize(classify_bot(x));
  state.SetItemsProcessed(state.iterations()
                          * static_cast<int64_t>(texts.size()));
}

void browsers_by_automaton(benchmark::State& state) {
  classify(state, browsers, false);
}

void crawlers_by_automaton(benchmark::State& state) {
  classify(state, crawlers, true);
}

/// What a list without an automaton costs, its expressions left out.
void browsers_name_by_name(benchmark::State& state) {
  for (auto _ : state)
    for (auto x : browsers)
      for (const auto& rule : bot_data::rules)
        benchmark::DoNotOptimize(x.find(rule.atom));
  state.SetItemsProcessed(state.iterations()
                          * static_cast<int64_t>(std::size(browsers)));
}

BENCHMARK(browsers_by_automaton);
BENCHMARK(crawlers_by_automaton);
BENCHMARK(browsers_name_by_name);

} // namespace

} // namespace turnout

BENCHMARK_MAIN();
