#pragma once

#include <chrono>
#include <thread>

namespace turnout {

/// A thread's turn on its core in the middle of long work: to be asked often
/// whether it is time to let others go first. A kernel that is not preemptive
/// takes the core from a thread only when its timer ticks, every few
/// milliseconds.
class core_turn {
public:
  /// Returns whether the turn lasts for half a millisecond or longer.
  bool is_over() const noexcept {
    return clock::now() - x_began >= std::chrono::microseconds{500};
  }

  /// Has the others who wait for this core go first, and begins a new turn.
  void yield() noexcept {
    std::this_thread::yield();
    x_began = clock::now();
  }

  void yield_if_over() noexcept {
    if (is_over())
      yield();
  }

private:
  using clock = std::chrono::steady_clock;

  clock::time_point x_began = clock::now();
};

} // namespace turnout
