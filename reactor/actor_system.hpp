#pragma once

#include "reactor/reactor_pool.hpp"

#include <caf/actor_system_config.hpp>

namespace turnout {

/// Configuration of an actor system whose actors run on a reactor pool: an
/// actor that is woken by a reactor's thread runs on that reactor; woken from
/// elsewhere (detached actors, the clock, other threads), on any. An actor
/// gives way after `max_throughput` messages. Actors spawned as detached keep
/// threads of their own.
///
/// Nothing is read from files, the environment or the command line.
///
/// The actor system must not be destroyed on a reactor. A thread that is
/// neither a reactor nor the one that destroys the actor system and that ever
/// spawned an actor must have ended by then: CAF keeps a reference to its
/// logger in such a thread, and the destructor waits for the last reference.
class reactor_system_config : public caf::actor_system_config {
public:
  /// Messages that an actor handles before others get their turn.
  static constexpr size_t max_throughput = 50;

  /// @param pool must outlive the actor system and run while it exists; the
  ///             actor system starts it if it does not run yet.
  explicit reactor_system_config(reactor_pool& pool);

  /// CAF's own parsing reads `caf-application.ini` of the working directory.
  template <class... Ts>
  caf::error parse(Ts&&...) = delete;

  reactor_pool& pool() const noexcept {
    return x_pool;
  }

private:
  reactor_pool& x_pool;
};

} // namespace turnout
