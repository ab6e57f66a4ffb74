#include "reactor/background_thread.hpp"

#include "reactor/thread.hpp"

#include <chrono>
#include <optional>
#include <utility>

namespace turnout {

namespace {

using steady_clock = std::chrono::steady_clock;

constexpr auto longest_turn = std::chrono::microseconds{500};

/// When this background thread let others go first; none in other threads.
thread_local std::optional<steady_clock::time_point> gave_way;

} // namespace

background_thread::background_thread(const std::string& name, int niceness)
  : x_thread(start_thread(name, [=, this] { serve(niceness); })) {
  // nop
}

background_thread::~background_thread() {
  {
    std::lock_guard guard{x_mutex};
    x_stop = true;
  }
  x_changed.notify_all();
  x_thread.join();
}

void background_thread::run(const std::function<void()>& f) {
  std::unique_lock guard{x_mutex};
  x_work = &f;
  x_changed.notify_all();
  x_changed.wait(guard, [this] { return x_work == nullptr; });
  if (auto failure = std::exchange(x_failure, nullptr))
    std::rethrow_exception(failure);
}

void background_thread::give_way() noexcept {
  if (!gave_way || steady_clock::now() - *gave_way < longest_turn)
    return;
  std::this_thread::yield();
  gave_way = steady_clock::now();
}

void background_thread::serve(int niceness) {
  be_nicer(niceness);
  gave_way = steady_clock::now();
  std::unique_lock guard{x_mutex};
  for (;;) {
    x_changed.wait(guard, [this] { return x_work != nullptr || x_stop; });
    if (x_work == nullptr)
      return;
    guard.unlock();
    std::exception_ptr failure;
    try {
      (*x_work)();
    } catch (...) {
      failure = std::current_exception();
    }
    guard.lock();
    x_failure = failure;
    x_work = nullptr;
    x_changed.notify_all();
  }
}

} // namespace turnout
