#include "reactor/background_thread.hpp"

#include "core/core_turn.hpp"
#include "reactor/thread.hpp"

#include <optional>
#include <utility>

namespace turnout {

namespace {

/// None in threads that are not background threads.
thread_local std::optional<core_turn> turn;

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
  if (turn)
    turn->yield_if_over();
}

void background_thread::serve(int niceness) {
  be_nicer(niceness);
  turn.emplace();
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
