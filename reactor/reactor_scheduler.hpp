#pragma once

#include "reactor/reactor_pool.hpp"

#include <caf/actor_system.hpp>
#include <caf/detail/thread_safe_actor_clock.hpp>
#include <caf/detail/type_list.hpp>
#include <caf/intrusive_ptr.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace turnout {

/// Runs the actors of a system on the threads of a reactor pool. Loaded by
/// `reactor_system_config`.
class reactor_scheduler : public caf::scheduler::abstract_coordinator {
public:
  using super = caf::scheduler::abstract_coordinator;

  reactor_scheduler(caf::actor_system& sys, reactor_pool& pool);

  ~reactor_scheduler() override;

  /// @pre the configuration of `sys` is a `reactor_system_config`.
  static caf::actor_system::module* make(caf::actor_system& sys,
                                         caf::detail::type_list<>);

  /// Starts the pool (if it does not run yet) and the clock.
  void start() override;

  /// Returns when no reactor runs anything of the actor system any more; the
  /// reactors go on with their other work. Actors that did not end by
  /// themselves are ended.
  void stop() override;

  void init(caf::actor_system_config& cfg) override;

  /// Takes over one reference to `ptr` and lets it run on the calling reactor,
  /// or on any if the caller is none.
  void enqueue(caf::resumable* ptr) override;

  caf::actor_clock& clock() noexcept override;

private:
  class unit;

  using job = caf::intrusive_ptr<caf::resumable>;

  void post(size_t index, job what);

  void run(size_t index, job what);

  /// Waits until every reactor got through the jobs it has now.
  /// @returns how many jobs the reactors ran, from the beginning on.
  uint64_t pass();

  void pass_until_quiet();

  reactor_pool& x_pool;
  std::vector<std::unique_ptr<unit>> x_units;
  std::atomic<bool> x_stopping = false;
  caf::detail::thread_safe_actor_clock x_clock;
  std::thread x_clock_thread;
};

} // namespace turnout
