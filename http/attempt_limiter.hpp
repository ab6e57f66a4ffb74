#pragma once

#include "core/time.hpp"

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

namespace turnout {

/// Slows those who fail to sign in: after some failures each further one makes
/// them wait twice as long as the one before. Memory is bounded: beyond the
/// bound others are forgotten, which costs an attacker more work than it saves.
/// Callable from any thread.
class attempt_limiter {
public:
  struct options {
    /// Failures that cost nothing.
    int free_failures = 5;
    std::chrono::seconds first_wait{2};
    std::chrono::seconds max_wait{60};
    /// Failures are forgotten after as long without one.
    std::chrono::seconds memory{900};
    /// Attempts under way at once, so that nobody makes many before the first
    /// has failed.
    int max_at_once = 16;
    size_t max_keys = 65'536;
  };

  explicit attempt_limiter(options x);

  /// Begins an attempt and returns 0, or returns how long to wait. What was
  /// begun must be ended.
  std::chrono::seconds begin(const std::string& who, timestamp at);

  /// Ends an attempt that says nothing of who made it.
  void end(const std::string& who);

  /// Ends an attempt that failed.
  void fail(const std::string& who, timestamp at);

  /// Ends an attempt that succeeded and forgets its failures.
  void succeed(const std::string& who);

  /// Number of those who are remembered.
  size_t size() const;

private:
  struct record {
    int failures = 0;
    int under_way = 0;
    timestamp last;
    timestamp blocked_until;
  };

  using records = std::unordered_map<std::string, record>;

  void make_room(timestamp at);

  void leave(records::iterator i);

  const options x_options;
  mutable std::mutex x_mutex;
  records x_records;
};

} // namespace turnout
