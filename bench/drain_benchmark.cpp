// What storing a click costs the DRAIN: one batch into a store on the disk,
// over links that are few or many.

#include "core/changes.hpp"
#include "core/identifiers.hpp"
#include "core/visitor.hpp"
#include "storage/plugin_loader.hpp"

#include <benchmark/benchmark.h>
#include <unistd.h>

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
      x_agents.push_back(classify_agent(x));
    x_referrers = read_lines("referrers.txt");
    for (const auto& x : read_lines("networks.txt"))
      x_networks.push_back({x.substr(0, 2), x.substr(3) + ".0"});
  }

  ~filled_store() {
    x_db.reset();
    std::error_code ignored;
    std::filesystem::remove_all(x_directory, ignored);
  }

  storage::event_batch make_batch(int64_t size) {
    storage::event_batch result;
    result.node = uuid{1, 1};
    for (int64_t i = 0; i < size; ++i) {
      const auto& l = x_links[x_random() % x_links.size()];
      const auto agent = x_random() % x_browsers.size();
      const auto& net = x_networks[x_random() % x_networks.size()];
      click x;
      x.created_at = now();
      x.id = make_uuid(x.created_at);
      x.link_key = l.key;
      x.variant_key = l.variants[x_random() % 2].key;
      x.visitor = static_cast<int64_t>(x_random() >> 1);
      x.user_agent = x_browsers[agent];
      x.referrer = x_referrers[x_random() % x_referrers.size()];
      x.country = net.first;
      x.ip_address = net.second;
      const auto& what = x_agents[agent];
      result.classes.push_back({{x.country, referrer_class(x.referrer),
                                 what.browser, what.device, what.system}});
      result.clicks.push_back(std::move(x));
      result.click_places.push_back({0, ++x_position});
    }
    result.ranges.push_back({0, x_position});
    return result;
  }

  storage::backend& db() {
    return *x_db;
  }

private:
  std::filesystem::path x_directory;
  storage::backend_factory x_open;
  storage::backend_ptr x_db;
  std::vector<link> x_links;
  std::vector<std::string> x_browsers;
  std::vector<agent_class> x_agents;
  std::vector<std::string> x_referrers;
  std::vector<std::pair<std::string, std::string>> x_networks;
  std::mt19937_64 x_random{1};
  int64_t x_position = 0;
};

/// Arguments: links, clicks in a batch.
void store_batch(benchmark::State& state) {
  filled_store store{state.range(0)};
  for (auto _ : state) {
    state.PauseTiming();
    const auto batch = store.make_batch(state.range(1));
    state.ResumeTiming();
    if (get(store.db().store_events(batch)).clicks != state.range(1))
      state.SkipWithError("clicks were not stored");
  }
  state.SetItemsProcessed(state.iterations() * state.range(1));
  state.counters["us_per_click"] = benchmark::Counter(
    static_cast<double>(state.iterations() * state.range(1)) / 1e6,
    benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK(store_batch)
  ->Unit(benchmark::kMillisecond)
  ->Args({1, 5000})
  ->Args({100, 5000})
  ->Args({10'000, 5000})
  ->Args({10'000, 20'000})
  ->Args({10'000, 50'000});

// For a machine that is too busy for times, callgrind counts instructions:
// "valgrind --tool=callgrind --toggle-collect=" with the pattern
// "turnout::sqlite::sqlite_backend::store_events*", and
// "--benchmark_filter=counted".
void counted(benchmark::State& state) {
  store_batch(state);
}

BENCHMARK(counted)->Args({2000, 5000})->Iterations(4);

} // namespace

} // namespace turnout

BENCHMARK_MAIN();
