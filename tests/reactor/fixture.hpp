#pragma once

#include "reactor/actor_system.hpp"
#include "reactor/reactor_pool.hpp"

#include <caf/actor_system.hpp>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <utility>

namespace turnout::test {

/// A running pool with an actor system on it.
struct reactors {
  explicit reactors(size_t size) : pool{size}, config{pool} {
    pool.start();
    system = std::make_unique<caf::actor_system>(config);
  }

  ~reactors() {
    system.reset();
    pool.stop();
  }

  /// Runs `f` on a reactor and returns its result.
  template <class F>
  auto on(size_t index, F f) {
    using result_type = decltype(f());
    auto task = std::make_shared<std::packaged_task<result_type()>>(f);
    auto result = task->get_future();
    pool.post(index, [task] { (*task)(); });
    return result.get();
  }

  reactor_pool pool;
  reactor_system_config config;
  std::unique_ptr<caf::actor_system> system;
};

/// Keeps a reactor from doing anything until it is opened or destroyed.
class gate {
public:
  gate(reactor_pool& pool, size_t index) {
    std::promise<void> closed;
    auto wait = closed.get_future();
    pool.post(index, [&closed, open = x_open.get_future().share()] {
      closed.set_value();
      open.wait();
    });
    wait.wait();
  }

  ~gate() {
    open();
  }

  void open() {
    if (!std::exchange(x_is_open, true))
      x_open.set_value();
  }

private:
  std::promise<void> x_open;
  bool x_is_open = false;
};

} // namespace turnout::test
