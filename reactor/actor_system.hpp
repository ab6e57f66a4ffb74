#pragma once

#include "reactor/reactor_pool.hpp"

#include <caf/actor_system_config.hpp>

namespace turnout {

/// Configuration of an actor system whose actors run on a reactor pool: an
/// actor that is woken by a reactor's thread runs on that reactor; woken from
/// elsewhere (detached actors, the clock, other threads), on any. An actor
/// gives way after `max_throughput` messages. Actors spawned as detached keep
/// threads of their own.
class reactor_system_config : public caf::actor_system_config {
public:
  /// @param pool must outlive the actor system and run while it exists.
  explicit reactor_system_config(reactor_pool& pool);

  reactor_pool& pool() noexcept {
    return x_pool;
  }

private:
  reactor_pool& x_pool;
};

} // namespace turnout
