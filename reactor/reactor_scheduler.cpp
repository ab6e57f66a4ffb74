#include "reactor/reactor_scheduler.hpp"

#include "reactor/actor_system.hpp"
#include "reactor/thread.hpp"

#include <asio/post.hpp>
#include <caf/execution_unit.hpp>
#include <caf/exit_reason.hpp>
#include <caf/logger.hpp>
#include <caf/scheduled_actor.hpp>

#include <future>
#include <utility>

namespace turnout {

/// What an actor sees of the reactor that runs it.
class reactor_scheduler::unit : public caf::execution_unit {
public:
  explicit unit(reactor_scheduler& parent)
    : caf::execution_unit{&parent.system()}, x_parent{parent} {
    // nop
  }

  void exec_later(caf::resumable* ptr) override {
    x_parent.enqueue(ptr);
  }

  /// Number of jobs run so far; only the reactor's thread touches it.
  uint64_t ran = 0;

private:
  reactor_scheduler& x_parent;
};

reactor_scheduler::reactor_scheduler(caf::actor_system& sys, reactor_pool& pool)
  : super{sys}, x_pool{pool} {
  for (size_t i = 0; i < pool.size(); ++i)
    x_units.emplace_back(std::make_unique<unit>(*this));
}

reactor_scheduler::~reactor_scheduler() {
  // nop
}

caf::actor_system::module* reactor_scheduler::make(caf::actor_system& sys,
                                                   caf::detail::type_list<>) {
  auto& cfg = static_cast<const reactor_system_config&>(sys.config());
  return new reactor_scheduler{sys, cfg.pool()};
}

void reactor_scheduler::start() {
  // Without threads the destructor of the actor system would never return.
  x_pool.start();
  x_clock_thread
    = start_thread("actor-clock", [this] { x_clock.run_dispatch_loop(); });
  super::start();
}

void reactor_scheduler::stop() {
  stop_actors();
  // From here on, what still runs is ended instead of resumed: two actors that
  // keep each other busy must not delay the stop for ever.
  x_stopping = true;
  // The clock stops after the actors, which would block on its full queue, and
  // what it sent in between needs another pass.
  pass_until_quiet();
  x_clock.cancel_dispatch_loop();
  x_clock_thread.join();
  pass_until_quiet();
}

void reactor_scheduler::init(caf::actor_system_config& cfg) {
  super::init(cfg);
  num_workers_ = x_pool.size();
}

void reactor_scheduler::enqueue(caf::resumable* ptr) {
  auto index = x_pool.current();
  if (index == reactor_pool::npos)
    index
      = next_worker_.fetch_add(1, std::memory_order_relaxed) % x_units.size();
  post(index, job{ptr, false});
}

caf::actor_clock& reactor_scheduler::clock() noexcept {
  return x_clock;
}

void reactor_scheduler::post(size_t index, job what) {
  asio::post(x_pool.context(index),
             [this, index, what = std::move(what)]() mutable {
               run(index, std::move(what));
             });
}

void reactor_scheduler::run(size_t index, job what) {
  auto& host = *x_units[index];
  ++host.ran;
  if (x_stopping.load(std::memory_order_relaxed)) {
    auto type = what->subtype();
    if (type == caf::resumable::scheduled_actor
        || type == caf::resumable::io_actor)
      static_cast<caf::scheduled_actor&>(*what).cleanup(
        caf::make_error(caf::exit_reason::user_shutdown), &host);
    return;
  }
  // Every other result gives up the reference that came with the job. A reactor
  // is not ours to shut down, so `shutdown_execution_unit` means no more.
  if (what->resume(&host, max_throughput()) == caf::resumable::resume_later)
    post(index, std::move(what));
}

uint64_t reactor_scheduler::pass() {
  std::vector<std::future<uint64_t>> counts;
  for (size_t i = 0; i < x_units.size(); ++i) {
    std::promise<uint64_t> count;
    counts.emplace_back(count.get_future());
    asio::post(x_pool.context(i),
               [host = x_units[i].get(), count = std::move(count)]() mutable {
                 // An actor that spawned left a reference to CAF's logger in
                 // this thread, and ~actor_system waits for the last one.
                 CAF_SET_LOGGER_SYS(nullptr);
                 count.set_value(host->ran);
               });
  }
  uint64_t result = 0;
  for (auto& x : counts)
    result += x.get();
  return result;
}

void reactor_scheduler::pass_until_quiet() {
  // A job may leave another on any reactor. What is queued when a pass begins
  // runs in this pass, hence: no job run, no job left.
  for (auto before = pass();;) {
    auto now = pass();
    if (now == before)
      return;
    before = now;
  }
}

} // namespace turnout
