// What the path of a visit is made of, piece by piece. Recognising crawlers and
// judging a winner have benchmarks of their own.

#include "actors/link.hpp"
#include "actors/link_directory.hpp"
#include "actors/visit.hpp"
#include "core/changes.hpp"
#include "core/identifiers.hpp"
#include "core/query.hpp"
#include "core/routing.hpp"
#include "core/visitor.hpp"
#include "http/geo.hpp"
#include "http/response.hpp"
#include "journal/journal.hpp"
#include "reactor/actor_system.hpp"
#include "reactor/reactor_pool.hpp"

#include <benchmark/benchmark.h>
#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <iostream>
#include <random>
#include <string>
#include <vector>

namespace turnout {

namespace {

constexpr char browser[]
  = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like "
    "Gecko) Chrome/126.0.0.0 Safari/537.36";

constexpr char destination[]
  = "https://www.example.com/campaigns/4711/a?utm_source=link";

link make_link() {
  link x;
  x.id = make_uuid(now());
  x.key = 1;
  x.slug = "benchmark";
  x.variants = make_variants({{"A", destination, 50},
                              {"B", "https://www.example.com/b", 30},
                              {"C", "https://www.example.com/c", 20}},
                             now());
  return x;
}

/// A pool of one reactor; measured functions run on its thread.
class one_reactor {
public:
  one_reactor() : x_config{pool} {
    pool.start();
    system = std::make_unique<caf::actor_system>(x_config);
  }

  ~one_reactor() {
    system.reset();
    pool.stop();
  }

  template <class F>
  void run(F f) {
    std::promise<void> done;
    pool.post(0, [&] {
      f();
      done.set_value();
    });
    done.get_future().wait();
  }

  reactor_pool pool{1};

private:
  reactor_system_config x_config;

public:
  std::unique_ptr<caf::actor_system> system;
};

void find_link(benchmark::State& state) {
  one_reactor here;
  metrics counters;
  link_directory directory{here.pool, 1000, std::chrono::seconds{60}, counters};
  std::vector<std::string> slugs;
  for (int64_t i = 0; i < state.range(0); ++i)
    directory.publish(slugs.emplace_back(make_slug(8)), {});
  here.run([&] {
    std::minstd_rand draw;
    for (auto _ : state)
      benchmark::DoNotOptimize(directory.find(slugs[draw() % slugs.size()]));
  });
}

void choose_variant(benchmark::State& state) {
  const auto x = make_link();
  const routing_table table{x};
  for (auto _ : state)
    benchmark::DoNotOptimize(table.choose("DE", {}, fast_random()));
}

void merge_queries(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(
      merge_query(destination, "utm_campaign=spring&utm_medium=mail"));
}

void merge_no_query(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(merge_query(destination, ""));
}

void clean_agent(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(clean_text(browser, max_user_agent));
}

void clean_a_referrer(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(
      clean_referrer("https://news.example.org/items/1?id=2", "go.example"));
}

void hash_visitor(benchmark::State& state) {
  const std::array<uint8_t, 32> secret{1, 2, 3};
  const auto address = *ip_address::parse("84.128.77.21");
  for (auto _ : state)
    benchmark::DoNotOptimize(visitor_key(secret, address, browser));
}

void find_country(benchmark::State& state) {
  const geo_lookup geo{TURNOUT_BENCH_COUNTRIES};
  std::vector<ip_address> addresses;
  std::minstd_rand draw;
  while (addresses.size() < 1000) {
    ip_address x;
    for (size_t i = 0; i < 4; ++i)
      x.bytes[i] = static_cast<uint8_t>(draw() >> 8);
    if (x.is_public())
      addresses.push_back(x);
  }
  size_t i = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(geo.country(addresses[i++ % addresses.size()]));
}

void build_reply(benchmark::State& state) {
  const std::string cookie(120, 'c');
  for (auto _ : state) {
    response x{302};
    x.header("Location", destination)
      .header("Cache-Control", "no-store")
      .header("Referrer-Policy", "no-referrer-when-downgrade")
      .header("Set-Cookie", cookie);
    benchmark::DoNotOptimize(render(x, false, true));
  }
}

/// A visit whose answer ends in the air.
class mute_visit final : public visit {
public:
  mute_visit() {
    fill();
  }

  void fill() {
    x_request.slug = "benchmark";
    x_request.user_agent = browser;
    x_request.country = "DE";
    x_request.ip_address = "84.128.77.0";
    x_request.at = now();
  }

  visit_request& request() noexcept override {
    return x_request;
  }

  void redirect(redirect_answer answer) override {
    benchmark::DoNotOptimize(answer);
    fill();
    ++answered;
  }

  void not_found() override {
    // nop
  }

  void unavailable() override {
    // nop
  }

  int64_t answered = 0;

private:
  visit_request x_request;
};

/// What a LINK does with a visit, without the message.
void answer_visit(benchmark::State& state) {
  const settings options;
  link_state x;
  x.options = &options;
  x.assign(make_link());
  mute_visit y;
  for (auto _ : state)
    x.answer(y);
}

/// The same through the mailbox, on the reactor of both.
void send_visit(benchmark::State& state) {
  constexpr int64_t sent = 1000;
  one_reactor here;
  const settings options;
  auto actor = here.system->spawn(
    link_behavior, make_link(), &options, store_pool_actor{},
    std::make_shared<link_usage>(), std::function<void(const link&)>{});
  auto y = std::make_shared<mute_visit>();
  for (auto _ : state) {
    std::promise<double> took;
    std::chrono::steady_clock::time_point start;
    std::function<void()> wait = [&] {
      if (y->answered < sent)
        return here.pool.post(0, wait);
      took.set_value(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count());
    };
    here.pool.post(0, [&] {
      start = std::chrono::steady_clock::now();
      y->answered = 0;
      for (int64_t i = 0; i < sent; ++i)
        caf::anon_send(actor, visit_ptr{y});
      wait();
    });
    state.SetIterationTime(took.get_future().get());
  }
  state.SetItemsProcessed(state.iterations() * sent);
  caf::anon_send_exit(actor, caf::exit_reason::kill);
}

/// Argument: clicks in a turn of the event loop.
void append_to_journal(benchmark::State& state) {
  const auto directory = std::filesystem::temp_directory_path()
                         / ("turnout-bench-" + std::to_string(getpid()));
  auto out = journal::writer::open(directory, 0, 0, {});
  if (!out) {
    std::cerr << detail(out.error()) << '\n';
    std::exit(1);
  }
  click x;
  x.id = make_uuid(now());
  x.link_key = 1;
  x.variant_key = 1;
  x.created_at = now();
  x.visitor = 1;
  x.ip_address = "84.128.77.0";
  x.user_agent = browser;
  x.referrer = "https://news.example.org/items/1?id=2";
  x.country = "DE";
  for (auto _ : state) {
    for (int64_t i = 0; i < state.range(0); ++i)
      (*out)->append(x);
    if ((*out)->commit())
      state.SkipWithError("the journal took no event");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  out->reset();
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
}

BENCHMARK(find_link)->Arg(1)->Arg(100'000);
BENCHMARK(choose_variant);
BENCHMARK(merge_queries);
BENCHMARK(merge_no_query);
BENCHMARK(clean_agent);
BENCHMARK(clean_a_referrer);
BENCHMARK(hash_visitor);
BENCHMARK(find_country);
BENCHMARK(build_reply);
BENCHMARK(answer_visit);
BENCHMARK(send_visit)->UseManualTime();
BENCHMARK(append_to_journal)->Arg(1)->Arg(16)->Arg(64);

} // namespace

} // namespace turnout

BENCHMARK_MAIN();
