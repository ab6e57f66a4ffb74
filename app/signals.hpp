#pragma once

#include <chrono>
#include <optional>

namespace turnout::app {

/// The signals that end the service, taken by one thread that waits for them.
class stop_signals {
public:
  /// Blocks SIGTERM and SIGINT in the calling thread and those it makes later;
  /// ignores SIGPIPE.
  stop_signals();

  /// Waits for a signal and returns its number; nullopt after `time`.
  std::optional<int> wait(std::chrono::milliseconds time) const;

  /// Lets `wait` return, from any thread.
  static void raise() noexcept;
};

} // namespace turnout::app
