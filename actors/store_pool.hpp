#pragma once

#include "actors/interfaces.hpp"
#include "monitoring/metrics.hpp"
#include "storage/plugin_loader.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace turnout {

/// State of the STORE POOL: idle workers and the jobs that wait for one.
struct store_pool_state {
  static inline const char* name = "store_pool";

  using promise = caf::typed_response_promise<store_outcome>;

  storage::backend_factory open;
  size_t max_queue = 0;
  metrics* counters = nullptr;
  /// Ends with its workers.
  ~store_pool_state();

  std::vector<store_worker_actor> workers;
  std::deque<store_worker_actor> idle;
  std::deque<std::pair<store_job, promise>> waiting;
  /// Workers to be replaced at the next tick.
  size_t missing = 0;
  bool ticking = false;
};

/// Spawns `workers` STORE WORKERS as detached actors and hands them jobs in
/// order. Overflow policy: refuse the newest.
store_pool_actor::behavior_type
store_pool(store_pool_actor::stateful_pointer<store_pool_state> self,
           storage::backend_factory open, size_t workers, size_t max_queue,
           metrics* counters);

} // namespace turnout
