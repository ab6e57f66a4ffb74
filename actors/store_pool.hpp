#pragma once

#include "actors/interfaces.hpp"
#include "monitoring/metrics.hpp"
#include "storage/plugin_loader.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace turnout {

/// How the STORE POOL is made.
struct store_pool_settings {
  storage::backend_factory open;
  size_t workers = 1;
  /// Jobs that may wait for a worker.
  size_t max_queue = 0;
  /// How long they may wait: longer than a busy store takes, shorter than
  /// people do when it is gone.
  std::chrono::steady_clock::duration max_wait = std::chrono::seconds{5};
};

/// State of the STORE POOL: idle workers and the jobs that wait for one.
struct store_pool_state {
  static inline const char* name = "store_pool";

  using promise = caf::typed_response_promise<store_outcome>;

  struct waiting_job {
    store_job job;
    promise answer;
    std::chrono::steady_clock::time_point since;
  };

  store_pool_settings settings;
  metrics* counters = nullptr;
  /// Ends with its workers.
  ~store_pool_state();

  std::vector<store_worker_actor> workers;
  std::deque<store_worker_actor> idle;
  std::deque<waiting_job> waiting;
  /// Workers to be replaced at the next tick.
  size_t missing = 0;
  bool ticking = false;
};

/// Spawns the STORE WORKERS as detached actors and hands them jobs in order.
/// Overflow policy: refuse the newest, and those that have waited too long.
store_pool_actor::behavior_type
store_pool(store_pool_actor::stateful_pointer<store_pool_state> self,
           store_pool_settings settings, metrics* counters);

} // namespace turnout
