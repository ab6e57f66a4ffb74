#pragma once

#include "tests/api/harness/response.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnout::test {

/// A TCP connection to 127.0.0.1 that sends exactly the bytes it is given.
class raw_socket {
public:
  /// Throws when the connection is refused.
  explicit raw_socket(uint16_t port);

  raw_socket(raw_socket&& other) noexcept;
  raw_socket& operator=(raw_socket&& other) noexcept;

  ~raw_socket();

  /// Sends all of `bytes`; false when the peer has closed, or takes nothing for
  /// `patience`.
  bool send(std::string_view bytes);

  /// Closes the sending half.
  void finish_sending();

  /// Reads one answer. Nullopt when the connection ends before a whole one is
  /// there, or nothing comes within `bound`.
  /// @param head whether the request was HEAD, so that no body follows.
  std::optional<response> receive(bool head = false,
                                  std::chrono::milliseconds bound
                                  = std::chrono::seconds{30});

  /// Reads until the peer closes or `bound` is over. Returns whether it closed.
  bool wait_for_close(std::chrono::milliseconds bound);

  /// Returns whether the connection is open and nothing waits to be read.
  bool idle();

  /// Bytes that came after the last whole answer.
  const std::string& rest() const noexcept {
    return x_buffer;
  }

private:
  // Returns false at the end of the stream or of the time.
  bool fill(std::chrono::steady_clock::time_point end);

  std::optional<std::string> take(size_t size,
                                  std::chrono::steady_clock::time_point end);

  int x_fd = -1;
  bool x_closed = false;
  std::string x_buffer;
};

/// Connects, sends and receives one answer.
std::optional<response> raw_exchange(uint16_t port, std::string_view bytes,
                                     bool head = false);

} // namespace turnout::test
