#pragma once

#include "actors/turn_pace.hpp"
#include "journal/journal.hpp"
#include "monitoring/metrics.hpp"
#include "reactor/reactor_pool.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace turnout {

/// The journal of one reactor, committed once per turn of its event loop: the
/// first event of a turn posts the commit behind everything that is ready to
/// run, and whoever appended meanwhile is told after it.
class turn_journal {
public:
  using callback = std::function<void(bool committed)>;

  turn_journal(reactor_pool& pool, size_t reactor,
               std::unique_ptr<journal::writer> out, metrics& counters);

  /// Appends an event; only on the thread of the reactor. `then` is called on
  /// the same thread after the commit.
  void append(const journal::event& x, callback then);

  /// The writing end, for its position and size.
  const journal::writer& out() const noexcept {
    return *x_out;
  }

private:
  void commit();

  /// Has the reactor wait a moment, when it has gone so often through what is
  /// ready to run.
  void pause_after(int hops);

  reactor_pool& x_pool;
  size_t x_reactor;
  std::unique_ptr<journal::writer> x_out;
  metrics& x_counters;
  std::vector<callback> x_waiting;
  /// The callbacks being called; kept for its memory.
  std::vector<callback> x_calling;
  bool x_failing = false;
  turn_pace x_pace;
  bool x_pause_is_due = false;
};

} // namespace turnout
