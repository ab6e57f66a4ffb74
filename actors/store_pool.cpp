#include "actors/store_pool.hpp"

#include "core/error.hpp"
#include "monitoring/log.hpp"

#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <utility>

namespace turnout {

namespace {

/// How long a dead worker's place stays empty, and how often it is looked
/// whether jobs have waited for too long.
constexpr auto tick_interval = std::chrono::seconds{1};

struct store_worker_state {
  static inline const char* name = "store_worker";

  storage::backend_ptr db;
};

store_worker_actor::behavior_type
store_worker(store_worker_actor::stateful_pointer<store_worker_state> self,
             const storage::backend_factory& open, metrics* counters) {
  return {
    [=](const store_job& job) -> caf::result<store_outcome> {
      if (self->state.db == nullptr) {
        auto db = open();
        if (!db)
          return db.error();
        self->state.db = std::move(*db);
      }
      const auto start = std::chrono::steady_clock::now();
      auto outcome = job.run(*self->state.db);
      const std::chrono::duration<double> took
        = std::chrono::steady_clock::now() - start;
      counters->store_operation(job.name, outcome.answered, took.count());
      return outcome;
    },
  };
}

using pool_pointer = store_pool_actor::stateful_pointer<store_pool_state>;

void run(pool_pointer self, store_job job, store_pool_state::promise promise);

void refuse(store_pool_state& st, store_pool_state::promise& promise) {
  st.counters->store_refused->Increment();
  promise.deliver(make_error(ec::unavailable, "The store is busy, try again."));
}

void show_queue(store_pool_state& st) {
  st.counters->store_queue->Set(static_cast<double>(st.waiting.size()));
}

/// Refuses the jobs that have waited for too long.
void expire(store_pool_state& st) {
  const auto oldest = std::chrono::steady_clock::now() - st.settings.max_wait;
  while (!st.waiting.empty() && st.waiting.front().since < oldest) {
    refuse(st, st.waiting.front().answer);
    st.waiting.pop_front();
  }
  show_queue(st);
}

void request_tick(pool_pointer self) {
  if (!std::exchange(self->state.ticking, true))
    self->delayed_send(self, tick_interval, tick_atom::value);
}

void next(pool_pointer self, const store_worker_actor& worker) {
  auto& st = self->state;
  st.idle.push_back(worker);
  expire(st);
  if (st.waiting.empty())
    return;
  auto first = std::move(st.waiting.front());
  st.waiting.pop_front();
  show_queue(st);
  run(self, std::move(first.job), std::move(first.answer));
}

/// Gives a job to the worker that has been idle longest.
void run(pool_pointer self, store_job job, store_pool_state::promise promise) {
  auto& st = self->state;
  auto worker = st.idle.front();
  st.idle.pop_front();
  self->request(worker, caf::infinite, std::move(job))
    .then(
      [self, worker, promise](store_outcome& outcome) mutable {
        promise.deliver(std::move(outcome));
        next(self, worker);
      },
      [self, worker, promise](caf::error& err) mutable {
        auto& st = self->state;
        if (err.category() == caf::atom("turnout")) {
          // The store cannot be opened; the worker lives.
          promise.deliver(std::move(err));
          next(self, worker);
          return;
        }
        log::error("store worker died, it is replaced in a second",
                   {{"error", detail(err)}});
        promise.deliver(
          make_error(ec::unavailable, "The store worker failed, try again."));
        st.counters->actor_restarts->Increment();
        std::erase(st.workers, worker);
        ++st.missing;
        request_tick(self);
      });
}

} // namespace

store_pool_state::~store_pool_state() {
  for (const auto& worker : workers)
    caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
}

store_pool_actor::behavior_type
store_pool(pool_pointer self, store_pool_settings settings, metrics* counters) {
  auto& st = self->state;
  st.settings = std::move(settings);
  st.counters = counters;
  const auto add_worker = [self] {
    auto& st = self->state;
    auto worker
      = self->spawn<caf::detached>(store_worker, st.settings.open, st.counters);
    st.workers.push_back(worker);
    return worker;
  };
  for (size_t i = 0; i < st.settings.workers; ++i)
    st.idle.push_back(add_worker());
  return {
    [=](const store_job& job) -> caf::result<store_outcome> {
      auto& st = self->state;
      auto promise = self->make_response_promise<store_outcome>();
      if (!st.idle.empty()) {
        run(self, job, promise);
      } else if (st.waiting.size() < st.settings.max_queue) {
        st.waiting.push_back({job, promise, std::chrono::steady_clock::now()});
        show_queue(st);
        request_tick(self);
      } else {
        refuse(st, promise);
      }
      return promise;
    },
    [=](tick_atom) {
      auto& st = self->state;
      st.ticking = false;
      for (; st.missing > 0; --st.missing)
        next(self, add_worker());
      expire(st);
      if (!st.waiting.empty())
        request_tick(self);
    },
  };
}

} // namespace turnout
