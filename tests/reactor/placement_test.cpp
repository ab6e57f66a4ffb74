// Where actors run, and in which order.

#include "tests/reactor/fixture.hpp"

#include <asio/steady_timer.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

using namespace turnout;

namespace {

using where_atom = caf::atom_constant<caf::atom("where")>;
using tell_atom = caf::atom_constant<caf::atom("tell")>;
using work_atom = caf::atom_constant<caf::atom("work")>;
using end_atom = caf::atom_constant<caf::atom("end")>;

/// Answers with the reactor it runs on.
caf::behavior locator(caf::event_based_actor*, reactor_pool* pool) {
  return {
    [pool](where_atom) { return static_cast<uint64_t>(pool->current()); },
  };
}

/// Stores the reactor it was woken on, and signals.
struct sighting {
  std::atomic<size_t> where = reactor_pool::npos;
  std::atomic<int> count = 0;

  void note(size_t index) {
    where = index;
    ++count;
    count.notify_all();
  }

  void await(int n) {
    for (auto seen = count.load(); seen < n; seen = count.load())
      count.wait(seen);
  }
};

caf::behavior observed(caf::event_based_actor*, reactor_pool* pool,
                       sighting* out) {
  return {
    [=](tell_atom) { out->note(pool->current()); },
  };
}

} // namespace

TEST(placement, runs_actors_on_the_only_reactor) {
  test::reactors env{1};
  caf::scoped_actor self{*env.system};
  auto first = env.system->spawn(locator, &env.pool);
  auto second = env.system->spawn(locator, &env.pool);
  for (auto& x : {first, second})
    self->request(x, caf::infinite, where_atom::value)
      .receive([](uint64_t where) { EXPECT_EQ(where, 0u); },
               [](caf::error& err) { FAIL() << to_string(err); });
}

TEST(placement, keeps_an_actor_on_the_reactor_that_wakes_it) {
  test::reactors env{3};
  sighting seen;
  auto worker = env.system->spawn(observed, &env.pool, &seen);
  int count = 0;
  for (int round = 0; round < 200; ++round) {
    auto index = static_cast<size_t>(round) % env.pool.size();
    // The pass through every reactor makes sure that the actor went back to
    // waiting; only then it is woken rather than busy elsewhere.
    for (size_t i = 0; i < env.pool.size(); ++i)
      env.on(i, [] { return 0; });
    env.pool.post(index, [&] { caf::anon_send(worker, tell_atom::value); });
    seen.await(++count);
    EXPECT_EQ(seen.where, index);
  }
}

TEST(placement, wakes_the_next_actor_on_the_same_reactor) {
  test::reactors env{2};
  sighting seen;
  auto last = env.system->spawn(observed, &env.pool, &seen);
  // self->send goes through the execution unit, anon_send through the
  // scheduler; both stay.
  auto sender = env.system->spawn([=](caf::event_based_actor* self) {
    return caf::behavior{
      [=](tell_atom) { self->send(last, tell_atom::value); },
    };
  });
  int count = 0;
  for (size_t round = 0; round < 100; ++round) {
    auto index = round % env.pool.size();
    for (size_t i = 0; i < env.pool.size(); ++i)
      env.on(i, [] { return 0; });
    env.pool.post(index, [&] { caf::anon_send(sender, tell_atom::value); });
    seen.await(++count);
    EXPECT_EQ(seen.where, index);
  }
}

TEST(placement, starts_an_actor_on_the_reactor_that_spawns_it) {
  test::reactors env{2};
  for (size_t index = 0; index < env.pool.size(); ++index) {
    std::promise<size_t> where;
    env.pool.post(index, [&] {
      env.system->spawn(
        [&](caf::event_based_actor*) { where.set_value(env.pool.current()); });
    });
    EXPECT_EQ(where.get_future().get(), index);
  }
}

TEST(placement, spreads_work_of_foreign_threads_over_all_reactors) {
  test::reactors env{3};
  std::set<size_t> seen;
  for (size_t i = 0; i < env.pool.size(); ++i) {
    std::promise<size_t> where;
    env.system->spawn(
      [&](caf::event_based_actor*) { where.set_value(env.pool.current()); });
    seen.insert(where.get_future().get());
  }
  EXPECT_EQ(seen, (std::set<size_t>{0, 1, 2}));
}

TEST(placement, returns_to_a_reactor_from_detached_actors_and_the_clock) {
  test::reactors env{2};
  sighting seen;
  auto worker = env.system->spawn(observed, &env.pool, &seen);
  auto detached = env.system->spawn<caf::detached>(
    [&](caf::event_based_actor* self) -> caf::behavior {
      return {
        [=, &env](tell_atom) {
          EXPECT_EQ(env.pool.current(), reactor_pool::npos);
          self->send(worker, tell_atom::value);
        },
      };
    });
  caf::anon_send(detached, tell_atom::value);
  seen.await(1);
  EXPECT_LT(seen.where, env.pool.size());
  caf::delayed_anon_send(worker, std::chrono::milliseconds{1},
                         tell_atom::value);
  seen.await(2);
  EXPECT_LT(seen.where, env.pool.size());
}

TEST(placement, a_busy_actor_gives_way_to_others) {
  test::reactors env{1};
  std::atomic<int> handled = 0;
  std::promise<int> handled_before_other;
  auto busy = env.system->spawn([&](caf::event_based_actor*) {
    return caf::behavior{
      [&](work_atom) { ++handled; },
    };
  });
  auto other = env.system->spawn([&](caf::event_based_actor* self) {
    return caf::behavior{
      [&, self](work_atom) {
        handled_before_other.set_value(handled);
        self->quit();
      },
    };
  });
  {
    test::gate closed{env.pool, 0};
    for (int i = 0; i < 10'000; ++i)
      caf::anon_send(busy, work_atom::value);
    caf::anon_send(other, work_atom::value);
  }
  auto before = handled_before_other.get_future().get();
  EXPECT_GT(before, 0);
  EXPECT_LE(before, static_cast<int>(reactor_system_config::max_throughput));
}

TEST(placement, an_endless_actor_starves_neither_actors_nor_handlers) {
  test::reactors env{1};
  auto endless = env.system->spawn([](caf::event_based_actor* self) {
    self->send(self, work_atom::value);
    return caf::behavior{
      [=](work_atom) { self->send(self, work_atom::value); },
      [=](end_atom) { self->quit(); },
    };
  });
  caf::scoped_actor self{*env.system};
  auto other = env.system->spawn(locator, &env.pool);
  for (int i = 0; i < 100; ++i) {
    self->request(other, caf::infinite, where_atom::value)
      .receive([](uint64_t where) { EXPECT_EQ(where, 0u); },
               [](caf::error& err) { FAIL() << to_string(err); });
    EXPECT_EQ(env.on(0, [&] { return env.pool.current(); }), 0u);
  }
  // Also pending socket and timer events get their turn.
  std::promise<void> fired;
  asio::steady_timer timer{env.pool.context(0), std::chrono::milliseconds{1}};
  timer.async_wait([&](asio::error_code) { fired.set_value(); });
  fired.get_future().wait();
  caf::anon_send(endless, end_atom::value);
}
