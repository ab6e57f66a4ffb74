#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace turnout::test {

/// A blocking TCP connection that gives up after 20 s.
class raw_client {
public:
  explicit raw_client(int port) : x_fd{::socket(AF_INET, SOCK_STREAM, 0)} {
    timeval limit{20, 0};
    ::setsockopt(x_fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    ::setsockopt(x_fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    sockaddr_in addr{};
    addr.sin_family = AF_INET;
    addr.sin_port = htons(static_cast<uint16_t>(port));
    addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected
      = ::connect(x_fd, reinterpret_cast<sockaddr*>(&addr), sizeof(addr)) == 0;
  }

  ~raw_client() {
    ::close(x_fd);
  }

  raw_client(const raw_client&) = delete;
  raw_client& operator=(const raw_client&) = delete;

  bool send(std::string_view text) {
    while (!text.empty()) {
      const auto n = ::send(x_fd, text.data(), text.size(), MSG_NOSIGNAL);
      if (n <= 0)
        return false;
      text.remove_prefix(static_cast<size_t>(n));
    }
    return true;
  }

  /// Reads one answer: head, then as many bytes of body as it announces.
  std::string answer(bool head = false) {
    while (x_buffer.find("\r\n\r\n") == std::string::npos)
      if (!more())
        return std::exchange(x_buffer, {});
    const auto end = x_buffer.find("\r\n\r\n") + 4;
    auto size = end;
    const auto pos = x_buffer.find("Content-Length: ");
    if (!head && pos < end)
      size += std::stoul(x_buffer.substr(pos + 16));
    while (x_buffer.size() < size)
      if (!more())
        break;
    auto result = x_buffer.substr(0, size);
    x_buffer.erase(0, size);
    return result;
  }

  /// Reads until the other end closes and returns what came.
  std::string everything() {
    while (more()) {}
    return std::exchange(x_buffer, {});
  }

  /// Reads until the other end closes; false when it does not.
  bool is_closed() {
    for (;;) {
      char buf[4096];
      const auto n = ::recv(x_fd, buf, sizeof(buf), 0);
      if (n == 0)
        return true;
      if (n < 0)
        return errno == ECONNRESET;
    }
  }

  bool connected = false;

private:
  bool more() {
    char buf[4096];
    const auto n = ::recv(x_fd, buf, sizeof(buf), 0);
    if (n <= 0)
      return false;
    x_buffer.append(buf, static_cast<size_t>(n));
    return true;
  }

  int x_fd;
  std::string x_buffer;
};

} // namespace turnout::test
