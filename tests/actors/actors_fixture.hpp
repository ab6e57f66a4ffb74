#pragma once

#include "actors/link_directory.hpp"
#include "actors/link_supervisor.hpp"
#include "actors/store_pool.hpp"
#include "reactor/actor_system.hpp"
#include "tests/actors/memory_backend.hpp"
#include "tests/actors/probe.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <thread>

namespace turnout::test {

/// An actor system on two reactors with a STORE POOL over a store in memory.
struct actors_fixture : testing::Test {
  std::shared_ptr<memory_store> store = std::make_shared<memory_store>();
  settings options;
  metrics counters;
  reactor_pool reactors{2};
  std::unique_ptr<link_directory> directory;
  std::unique_ptr<reactor_system_config> config;
  std::unique_ptr<caf::actor_system> system;
  store_pool_actor pool;

  actors_fixture() {
    reactors.start();
    directory = std::make_unique<link_directory>(
      reactors, 1000, std::chrono::seconds{60}, counters);
    config = std::make_unique<reactor_system_config>(reactors);
    system = std::make_unique<caf::actor_system>(*config);
  }

  ~actors_fixture() override {
    if (pool)
      caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
    pool = nullptr;
    directory->clear();
    system.reset();
    reactors.stop();
  }

  void start_pool(size_t workers = 1, size_t queue = 100) {
    pool = system->spawn(
      store_pool, store_pool_settings{open_memory(store), workers, queue},
      &counters);
  }

  /// Runs `f` on a reactor and waits for it and for what it posted there.
  void on_reactor(size_t index, const std::function<void()>& f) {
    std::promise<void> done;
    reactors.post(index, [&] {
      f();
      reactors.post(index, [&] { done.set_value(); });
    });
    done.get_future().wait();
  }

  /// Waits until `condition` holds; fails the test after half a minute.
  void eventually(const std::function<bool()>& condition) {
    for (int i = 0; i < 3000; ++i) {
      if (condition())
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    FAIL() << "condition does not come true";
  }
};

/// Lets several threads wait until a test says go.
class latch_gate {
public:
  void wait() {
    x_future.wait();
  }

  void open() {
    if (!std::exchange(x_open, true))
      x_promise.set_value();
  }

  ~latch_gate() {
    open();
  }

private:
  std::promise<void> x_promise;
  std::shared_future<void> x_future{x_promise.get_future().share()};
  bool x_open = false;
};

} // namespace turnout::test
