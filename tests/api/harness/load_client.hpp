#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace turnout::test {

/// What one path got.
struct path_tally {
  /// 302 answers that arrived whole.
  int64_t acknowledged = 0;
  /// Requests that were sent and whose connection ended without a whole answer.
  int64_t unanswered = 0;
};

/// Sends GET requests to 127.0.0.1 at full speed over kept-alive connections,
/// one at a time on each, and counts exactly what it was told. A connection
/// that ends is opened again as long as the port takes it.
class load_client {
public:
  /// Starts its thread. Requests go to `paths` in turn.
  /// @param headers complete lines that end in CRLF.
  load_client(uint16_t port, std::vector<std::string> paths, size_t connections,
              const std::string& headers);

  ~load_client();

  /// Number of 302 answers so far.
  int64_t acknowledged() const noexcept {
    return x_acknowledged;
  }

  /// Sends nothing new, waits for the answers under way and ends the thread.
  void finish();

  /// Ends when the service is gone: waits until no connection is left.
  void wait_until_cut_off();

  // -- to be read after one of the two above ----------------------------------

  const std::vector<path_tally>& by_path() const noexcept {
    return x_tallies;
  }

  /// Number of answers by status, other than 302.
  const std::map<int, int64_t>& others() const noexcept {
    return x_others;
  }

  int64_t unanswered() const;

private:
  struct connection;

  void run();

  bool open(connection& x);

  void close(connection& x);

  void send_next(connection& x);

  // Returns false when the connection has to be closed.
  bool receive(connection& x);

  uint16_t x_port;
  std::vector<std::string> x_requests;
  size_t x_num_connections;
  size_t x_next_path = 0;
  int x_epoll = -1;
  std::atomic<bool> x_finishing{false};
  std::atomic<bool> x_reconnect{true};
  std::atomic<int64_t> x_acknowledged{0};
  std::vector<path_tally> x_tallies;
  std::map<int, int64_t> x_others;
  std::thread x_thread;
};

} // namespace turnout::test
