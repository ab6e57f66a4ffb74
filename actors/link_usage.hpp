#pragma once

#include <atomic>
#include <chrono>

namespace turnout {

/// When a LINK was used last: written by the LINK, read by the LINK SUPERVISOR,
/// which would take seconds to ask 100,000 of them.
class link_usage {
public:
  using clock = std::chrono::steady_clock;

  void touch() noexcept {
    x_last.store(clock::now().time_since_epoch().count(),
                 std::memory_order_relaxed);
  }

  clock::time_point last() const noexcept {
    return clock::time_point{
      clock::duration{x_last.load(std::memory_order_relaxed)}};
  }

private:
  std::atomic<clock::rep> x_last{clock::now().time_since_epoch().count()};
};

} // namespace turnout
