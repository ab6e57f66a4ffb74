#pragma once

#include "plugins/sql/connection.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace turnout::postgresql {

/// Ends connections whose database has not answered for too long: libpq waits
/// for ever for a server that is frozen but whose machine still acknowledges
/// what it receives. One thread looks after all connections of the process.
class stall_watch {
public:
  using duration = std::chrono::steady_clock::duration;

  /// Returns the one that all backends share.
  static stall_watch& instance();

  /// @param interval how often connections are looked at.
  explicit stall_watch(duration interval);

  stall_watch(const stall_watch&) = delete;

  stall_watch& operator=(const stall_watch&) = delete;

  ~stall_watch();

  /// Watches a connection until it is removed.
  /// @param patience how long the database may take for an answer.
  void add(plugins::connection* db, duration patience);

  /// Must be called before the connection is closed.
  void remove(plugins::connection* db);

  /// Sets how long the database may take for an answer.
  void expect(plugins::connection* db, duration patience);

private:
  struct entry {
    /// Descriptor of the connection, which belongs to libpq.
    int socket = -1;
    duration patience{};
  };

  void run();

  const duration x_interval;
  std::mutex x_mutex;
  std::condition_variable x_stopped;
  bool x_stop = false;
  std::unordered_map<plugins::connection*, entry> x_entries;
  std::thread x_thread;
};

} // namespace turnout::postgresql
