#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace turnout {

/// Counts on the path of a visit: each thread adds to a cell of its own, so
/// that reactors share no line of the cache. Callable from any thread.
class thread_counter {
public:
  void increment() noexcept {
    x_cells[own_cell()].value.fetch_add(1, std::memory_order_relaxed);
  }

  /// Returns what was counted so far in all threads; never falls.
  uint64_t value() const noexcept {
    uint64_t result = 0;
    for (const auto& x : x_cells)
      result += x.value.load(std::memory_order_relaxed);
    return result;
  }

private:
  /// More threads than this share cells, which costs time but no count.
  static constexpr size_t max_cells = 64;

  struct alignas(64) cell {
    std::atomic<uint64_t> value{0};
  };

  static size_t own_cell() noexcept {
    static std::atomic<size_t> threads{0};
    thread_local const auto mine = threads.fetch_add(1) % max_cells;
    return mine;
  }

  std::array<cell, max_cells> x_cells;
};

} // namespace turnout
