#include "reactor/reactor_pool.hpp"

#include "reactor/thread.hpp"

#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace turnout {

namespace {

using work_guard = asio::executor_work_guard<asio::io_context::executor_type>;

struct reactor {
  // The hint tells asio that only one thread runs the context: what that thread
  // posts to itself takes no lock and wakes nobody.
  asio::io_context context{1};

  std::optional<work_guard> guard;

  std::thread thread;
};

void write_to_stderr(std::string_view what) {
  std::fprintf(stderr, "exception in a reactor: %.*s\n",
               static_cast<int>(what.size()), what.data());
}

/// Lets stopping reactors agree that none of them has work left. A reactor that
/// is out of work may yet get some from another. All may end when each has
/// looked for work in vain since any of them last ran something.
class last_call {
public:
  explicit last_call(size_t size) : x_looked_in(size, 0), x_idle(size, false) {
    // nop
  }

  /// Tells how many handlers reactor `index` ran since its last call.
  /// @returns whether it may end; otherwise it must look for work again.
  bool may_end(size_t index, size_t ran) {
    std::unique_lock guard{x_mtx};
    if (ran > 0) {
      ++x_round;
      std::fill(x_idle.begin(), x_idle.end(), false);
      x_cv.notify_all();
    } else {
      // A look that began in an earlier round may have missed what was posted.
      if (x_looked_in[index] == x_round)
        x_idle[index] = true;
      if (std::all_of(x_idle.begin(), x_idle.end(), std::identity{})) {
        x_done = true;
        x_cv.notify_all();
      }
      // Posting to a context that ran out of work wakes nobody, and the poster
      // may be busy for long, so look again soon.
      x_cv.wait_for(guard, std::chrono::milliseconds{1},
                    [&] { return x_done || x_looked_in[index] != x_round; });
    }
    x_looked_in[index] = x_round;
    return x_done;
  }

private:
  std::mutex x_mtx;
  std::condition_variable x_cv;

  /// Counts how often a reactor had run something.
  size_t x_round = 0;

  /// The round in which each reactor began its current look for work.
  std::vector<size_t> x_looked_in;

  /// Whether a whole look in this round was in vain.
  std::vector<bool> x_idle;

  bool x_done = false;
};

} // namespace

struct reactor_pool::impl {
  explicit impl(size_t size) {
    for (size_t i = 0; i < std::max<size_t>(size, 1); ++i)
      reactors.emplace_back(std::make_unique<reactor>());
  }

  /// Runs handlers until nothing is left.
  size_t run_handlers(asio::io_context& context) {
    for (size_t ran = 0;;) {
      try {
        return ran + context.run();
      } catch (const std::exception& e) {
        report(e.what());
      } catch (...) {
        report("not a std::exception");
      }
      ++ran;
    }
  }

  void run(size_t index);

  std::vector<std::unique_ptr<reactor>> reactors;
  error_handler report = write_to_stderr;
  std::optional<last_call> ending;

  /// Serialises start and stop.
  std::mutex lifecycle;
};

namespace {

/// The reactor whose thread this is.
struct location {
  const void* pool = nullptr;
  size_t index = reactor_pool::npos;
};

thread_local location this_reactor;

} // namespace

void reactor_pool::impl::run(size_t index) {
  this_reactor = {this, index};
  prefer_short_slices();
  auto& context = reactors[index]->context;
  auto ran = run_handlers(context);
  while (!ending->may_end(index, ran)) {
    context.restart();
    ran = run_handlers(context);
  }
}

reactor_pool::reactor_pool(size_t size) : x_impl{std::make_unique<impl>(size)} {
  // nop
}

reactor_pool::~reactor_pool() {
  stop();
}

void reactor_pool::on_error(error_handler f) {
  x_impl->report = std::move(f);
}

void reactor_pool::start() {
  std::lock_guard lock{x_impl->lifecycle};
  auto& reactors = x_impl->reactors;
  if (reactors.front()->thread.joinable())
    return;
  x_impl->ending.emplace(reactors.size());
  for (size_t i = 0; i < reactors.size(); ++i) {
    auto& x = *reactors[i];
    x.context.restart();
    x.guard.emplace(x.context.get_executor());
    x.thread = start_thread("reactor-" + std::to_string(i),
                            [pool = x_impl.get(), i] { pool->run(i); });
  }
}

void reactor_pool::stop() {
  std::lock_guard lock{x_impl->lifecycle};
  for (auto& x : x_impl->reactors)
    x->guard.reset();
  for (auto& x : x_impl->reactors)
    if (x->thread.joinable())
      x->thread.join();
}

size_t reactor_pool::size() const noexcept {
  return x_impl->reactors.size();
}

asio::io_context& reactor_pool::context(size_t index) noexcept {
  return x_impl->reactors[index]->context;
}

size_t reactor_pool::current() const noexcept {
  return this_reactor.pool == x_impl.get() ? this_reactor.index : npos;
}

void reactor_pool::post(size_t index, std::function<void()> f) {
  asio::post(context(index), std::move(f));
}

} // namespace turnout
