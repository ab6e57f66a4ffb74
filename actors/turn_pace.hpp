#pragma once

#include <chrono>
#include <cstddef>

namespace turnout {

/// Says when a reactor with much to do should wait a moment before it looks for
/// more: with few visits in a turn, most of what they cost is the turn itself
/// (polling, writing the journal, coming back to a core whose caches another
/// thread has filled), which a moment later more of them share. It is what
/// network cards do with their interrupts. A reactor with little to do never
/// waits, and one with so much that its turns are full needs not.
class turn_pace {
public:
  using clock = std::chrono::steady_clock;

  /// How long to wait; the kernel adds some 20 to 60 us. A visit that comes
  /// meanwhile takes as much longer, or twice that when it is not at its commit
  /// before the next pause.
  static constexpr auto pause = std::chrono::microseconds{200};

  /// Over what time events are counted.
  static constexpr auto window = std::chrono::milliseconds{10};

  /// Events of a window that are much to do: 10,000 a second.
  static constexpr size_t busy_window = 100;

  /// Events that make a turn full.
  static constexpr size_t full_turn = 8;

  /// Takes a turn that ended with so many events, and returns whether to wait.
  bool ends(size_t events, clock::time_point at) noexcept {
    x_events += events;
    const auto age = at - x_begin;
    if (age >= window) {
      x_is_busy = age < 2 * window && x_events >= busy_window;
      x_events = 0;
      x_begin = at;
    }
    return x_is_busy && events < full_turn;
  }

private:
  clock::time_point x_begin;
  size_t x_events = 0;
  bool x_is_busy = false;
};

} // namespace turnout
