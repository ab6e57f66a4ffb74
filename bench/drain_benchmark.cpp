// What storing a click costs the DRAIN: one round of it into a store on the
// disk, over links that are few or many.

#include "actors/click_pile.hpp"
#include "core/changes.hpp"
#include "core/identifiers.hpp"
#include "core/visitor.hpp"
#include "storage/plugin_loader.hpp"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <vector>

namespace turnout {

namespace {

template <class T>
T get(caf::expected<T> x) {
  if (!x) {
    std::cerr << detail(x.error()) << '\n';
    std::exit(1);
  }
  return std::move(*x);
}

std::vector<std::string> read_lines(const char* name) {
  std::ifstream in{std::filesystem::path{TURNOUT_BENCH_DATA} / name};
  std::vector<std::string> result;
  for (std::string line; std::getline(in, line);)
    result.push_back(line);
  return result;
}

constexpr size_t batch_size = 20'000;

/// A store with links, in a directory of its own.
class filled_store {
public:
  explicit filled_store(int64_t links)
    : x_directory{std::filesystem::temp_directory_path()
                  / ("turnout-bench-" + std::to_string(getpid()) + "-"
                     + std::to_string(links))} {
    std::filesystem::create_directories(x_directory);
    x_open = get(storage::load_plugin("sqlite", {TURNOUT_BENCH_PLUGINS},
                                      {x_directory.string(), ""}));
    x_db = get(x_open());
    if (x_db->migrate())
      std::exit(1);
    const auto at = now();
    for (int64_t i = 0; i < links; ++i) {
      link x;
      x.created_at = x.updated_at = at;
      x.id = make_uuid(at);
      x.slug = make_slug(8);
      x.name = "Link";
      x.variants = make_variants({{"A", "https://www.example.com/a", 50},
                                  {"B", "https://www.example.com/b", 50}},
                                 at);
      x_links.push_back(get(x_db->create_link(x, std::nullopt)).created);
    }
    x_browsers = read_lines("browsers.txt");
    for (const auto& x : x_browsers)
      classify_agent(x); // fills its cache
    x_referrers = read_lines("referrers.txt");
    for (const auto& x : read_lines("networks.txt"))
      x_networks.push_back({x.substr(0, 2), x.substr(3) + ".0"});
  }

  ~filled_store() {
    x_db.reset();
    std::error_code ignored;
    std::filesystem::remove_all(x_directory, ignored);
  }

  /// Returns a round as the DRAIN stores it, but not yet classified.
  click_pile make_round(int64_t size) {
    click_pile result;
    for (int64_t i = 0; i < size; ++i) {
      const auto& l = x_links[x_random() % x_links.size()];
      const auto& net = x_networks[x_random() % x_networks.size()];
      click x;
      x.created_at = now();
      x.id = make_uuid(x.created_at);
      x.link_key = l.key;
      x.variant_key = l.variants[x_random() % 2].key;
      x.visitor = static_cast<int64_t>(x_random() >> 1);
      x.user_agent = x_browsers[x_random() % x_browsers.size()];
      x.referrer = x_referrers[x_random() % x_referrers.size()];
      x.country = net.first;
      x.ip_address = net.second;
      result.add(x, {0, ++x_position});
    }
    return result;
  }

  /// Stores a round in batches and returns how many clicks were new.
  int64_t store(click_pile& round) {
    int64_t result = 0;
    round.arrange({});
    storage::event_batch batch;
    batch.node = uuid{1, 1};
    batch.ranges.push_back({0, x_position});
    for (size_t first = 0; first < round.size(); first += batch_size) {
      const auto last = std::min(round.size(), first + batch_size);
      batch.is_part = last < round.size();
      round.copy(first, last, batch);
      result += get(x_db->store_events(batch)).clicks;
    }
    return result;
  }

private:
  std::filesystem::path x_directory;
  storage::backend_factory x_open;
  storage::backend_ptr x_db;
  std::vector<link> x_links;
  std::vector<std::string> x_browsers;
  std::vector<std::string> x_referrers;
  std::vector<std::pair<std::string, std::string>> x_networks;
  std::mt19937_64 x_random{1};
  int64_t x_position = 0;
};

/// Arguments: links, clicks in a round.
void store_round(benchmark::State& state) {
  filled_store store{state.range(0)};
  for (auto _ : state) {
    state.PauseTiming();
    auto round = store.make_round(state.range(1));
    state.ResumeTiming();
    if (store.store(round) != state.range(1))
      state.SkipWithError("clicks were not stored");
  }
  state.SetItemsProcessed(state.iterations() * state.range(1));
  state.counters["us_per_click"] = benchmark::Counter(
    static_cast<double>(state.iterations() * state.range(1)) / 1e6,
    benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK(store_round)
  ->Unit(benchmark::kMillisecond)
  ->Args({1, 5000})
  ->Args({100, 5000})
  ->Args({10'000, 5000})
  ->Args({10'000, 50'000})
  ->Args({100'000, 50'000})
  ->Args({100'000, 200'000})
  ->Args({100'000, 400'000});

// For a machine that is too busy for times, callgrind counts instructions:
// "valgrind --tool=callgrind --toggle-collect=" with the pattern
// "turnout::sqlite::sqlite_backend::store_events*", and
// "--benchmark_filter=counted".
void counted(benchmark::State& state) {
  store_round(state);
}

BENCHMARK(counted)->Args({2000, 5000})->Iterations(4);

} // namespace

} // namespace turnout

BENCHMARK_MAIN();
