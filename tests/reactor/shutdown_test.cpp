// Ends of actor systems and pools.

#include "tests/reactor/fixture.hpp"

#include <caf/actor_ostream.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

using namespace turnout;

using token = std::shared_ptr<int>;

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(token)

namespace {

using work_atom = caf::atom_constant<caf::atom("work")>;
using end_atom = caf::atom_constant<caf::atom("end")>;

/// Sends itself and the other one mail for ever.
caf::behavior restless(caf::event_based_actor* self, token kept) {
  return {
    [=](const caf::actor& other) { self->send(other, work_atom::value, kept); },
    [=](work_atom, const token& x) {
      auto back = caf::actor_cast<caf::actor>(self->current_sender());
      self->send(back, work_atom::value, x);
      self->send(self, work_atom::value, x);
      return caf::unit;
    },
  };
}

} // namespace

TEST(shutdown, of_an_unused_actor_system) {
  test::reactors env{2};
}

TEST(shutdown, of_a_system_made_before_the_pool_runs) {
  reactor_pool pool{2};
  reactor_system_config config{pool};
  std::promise<size_t> where;
  {
    caf::actor_system system{config};
    system.spawn(
      [&](caf::event_based_actor*) { where.set_value(pool.current()); });
  }
  EXPECT_LT(where.get_future().get(), pool.size());
}

TEST(shutdown, takes_its_settings_from_nowhere_but_the_code) {
  test::reactors env{3};
  EXPECT_EQ(env.system->scheduler().max_throughput(),
            reactor_system_config::max_throughput);
  EXPECT_EQ(env.system->scheduler().num_workers(), 3u);
}

TEST(shutdown, finishes_the_work_that_is_queued) {
  test::reactors env{1};
  int handled = 0;
  {
    auto worker = env.system->spawn([&](caf::event_based_actor* self) {
      return caf::behavior{
        [&](work_atom) { ++handled; },
        [=](end_atom) { self->quit(); },
      };
    });
    test::gate closed{env.pool, 0};
    for (int i = 0; i < 1000; ++i)
      caf::anon_send(worker, work_atom::value);
    caf::anon_send(worker, end_atom::value);
  }
  env.system.reset();
  EXPECT_EQ(handled, 1000);
}

TEST(shutdown, leaves_the_pool_running) {
  test::reactors env{2};
  env.system.reset();
  for (size_t i = 0; i < env.pool.size(); ++i)
    EXPECT_EQ(env.on(i, [&] { return env.pool.current(); }), i);
  // And a second actor system runs on it.
  caf::actor_system again{env.config};
  std::promise<size_t> where;
  again.spawn(
    [&](caf::event_based_actor*) { where.set_value(env.pool.current()); });
  EXPECT_LT(where.get_future().get(), env.pool.size());
}

TEST(shutdown, of_a_system_whose_actors_spawned_actors) {
  // Spawning leaves a reference to the system's logger in the thread.
  test::reactors env{2};
  std::atomic<int> born = 0;
  for (size_t i = 0; i < 4; ++i)
    env.system->spawn([&](caf::event_based_actor* self) {
      for (int j = 0; j < 10; ++j) {
        self->spawn([&](caf::event_based_actor*) { ++born; });
        self->spawn<caf::detached>([&](caf::event_based_actor*) { ++born; });
        self->system().spawn([&](caf::event_based_actor*) { ++born; });
      }
    });
  env.system.reset();
  EXPECT_EQ(born, 120);
}

TEST(shutdown, ends_actors_that_never_rest) {
  auto kept = std::make_shared<int>(1);
  std::weak_ptr<int> watch = kept;
  {
    test::reactors env{2};
    auto one = env.system->spawn(restless, kept);
    auto two = env.system->spawn(restless, kept);
    kept.reset();
    caf::anon_send(one, two);
    caf::anon_send(two, one);
    env.system->await_actors_before_shutdown(false);
  }
  EXPECT_TRUE(watch.expired());
}

TEST(shutdown, drops_delayed_messages_that_are_not_due) {
  auto sent = std::make_shared<int>(1);
  std::weak_ptr<int> watch = sent;
  {
    test::reactors env{1};
    auto worker = env.system->spawn([](caf::event_based_actor* self) {
      return caf::behavior{
        [](const token&) { FAIL(); },
        [=](end_atom) { self->quit(); },
      };
    });
    caf::delayed_anon_send(worker, std::chrono::hours{1}, std::move(sent));
    caf::anon_send(worker, end_atom::value);
  }
  EXPECT_TRUE(watch.expired());
}

TEST(shutdown, of_many_systems_and_pools) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> handled = 0;
    {
      test::reactors env{1 + static_cast<size_t>(round) % 3};
      auto worker = env.system->spawn([&](caf::event_based_actor* self) {
        return caf::behavior{
          [&](work_atom) { ++handled; },
          [=](end_atom) { self->quit(); },
        };
      });
      std::thread foreign{[&] {
        for (int i = 0; i < 50; ++i)
          caf::anon_send(worker, work_atom::value);
      }};
      env.on(0, [&] {
        for (int i = 0; i < 50; ++i)
          caf::anon_send(worker, work_atom::value);
        return 0;
      });
      foreign.join();
      caf::anon_send(worker, end_atom::value);
    }
    EXPECT_EQ(handled, 100);
  }
}

TEST(shutdown, prints_what_actors_print) {
  testing::internal::CaptureStdout();
  {
    test::reactors env{2};
    env.system->spawn([](caf::event_based_actor* self) {
      caf::aout(self) << "printed by an actor" << std::endl;
    });
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "printed by an actor\n");
}
