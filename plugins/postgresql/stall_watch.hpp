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
  /// How long a database may take for an answer. Its own time limits for
  /// statements and locks are shorter, so that it is asked for a reason first.
  static constexpr auto patience = std::chrono::seconds{20};

  /// Returns the one that all backends share.
  static stall_watch& instance();

  stall_watch(const stall_watch&) = delete;

  stall_watch& operator=(const stall_watch&) = delete;

  ~stall_watch();

  /// Watches a connection until it is removed.
  /// @param socket descriptor of the connection, which belongs to libpq.
  void add(plugins::connection* db, int socket);

  /// Must be called before the connection is closed.
  void remove(plugins::connection* db);

  /// Lets the database take any time for an answer.
  void exempt(plugins::connection* db, bool is_exempt);

private:
  struct entry {
    int socket;
    bool is_exempt = false;
  };

  stall_watch();

  void run();

  std::mutex x_mutex;
  std::condition_variable x_stopped;
  bool x_stop = false;
  std::unordered_map<plugins::connection*, entry> x_entries;
  std::thread x_thread;
};

} // namespace turnout::postgresql
