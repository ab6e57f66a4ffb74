#pragma once

#include <prometheus/gauge.h>

#include <atomic>
#include <memory>

namespace turnout {

/// Bounds how many calls may be under way, because mailboxes do not. May be
/// used from any thread and must outlive its tickets.
class gate {
public:
  /// @param level shows how many are under way.
  gate(int limit, prometheus::Gauge* level) : x_limit(limit), x_level(level) {
    // nop
  }

  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;

  /// Returns a ticket that holds a place as long as it lives; nullptr when
  /// there is none.
  std::shared_ptr<void> enter() {
    if (x_under_way.fetch_add(1) >= x_limit) {
      x_under_way.fetch_sub(1);
      return nullptr;
    }
    x_level->Increment();
    return {this, [](gate* x) {
              x->x_under_way.fetch_sub(1);
              x->x_level->Decrement();
            }};
  }

private:
  const int x_limit;
  prometheus::Gauge* x_level;
  std::atomic<int> x_under_way = 0;
};

} // namespace turnout
