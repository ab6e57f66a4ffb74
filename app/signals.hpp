#pragma once

#include <chrono>
#include <optional>

namespace turnout::app {

/// The signals that end the service, and the one that has it read its settings
/// again, taken by one thread that waits for them.
class stop_signals {
public:
  /// Blocks SIGTERM, SIGINT and SIGHUP in the calling thread and those it makes
  /// later; ignores SIGPIPE.
  stop_signals();

  /// Waits for a signal and returns its number; nullopt after `time`.
  std::optional<int> wait(std::chrono::milliseconds time) const;

  /// Returns whether a signal asks for a reload: SIGHUP, unless it came because
  /// the terminal in which we were started is gone.
  bool asks_for_reload(int number) const noexcept;

  /// Lets `wait` return, from any thread.
  static void raise() noexcept;

private:
  bool x_had_terminal;
};

} // namespace turnout::app
