#include "tests/api/harness/raw_socket.hpp"

#include "tests/api/harness/eventually.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace turnout::test {

namespace {

using clock = std::chrono::steady_clock;

int milliseconds_until(clock::time_point end) {
  using std::chrono::milliseconds;
  auto left = std::chrono::ceil<milliseconds>(end - clock::now()).count();
  return static_cast<int>(std::max<int64_t>(left, 0));
}

bool wait_for(int fd, short events, clock::time_point end) {
  pollfd entry{fd, events, 0};
  return ::poll(&entry, 1, milliseconds_until(end)) > 0;
}

} // namespace

raw_socket::raw_socket(uint16_t port) {
  x_fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (x_fd < 0)
    throw std::runtime_error("cannot make a socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(x_fd, reinterpret_cast<sockaddr*>(&address), sizeof(address))
      != 0) {
    ::close(x_fd);
    x_fd = -1;
    throw std::runtime_error(std::string{"cannot connect: "}
                             + std::strerror(errno));
  }
  int on = 1;
  ::setsockopt(x_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

raw_socket::raw_socket(raw_socket&& other) noexcept
  : x_fd(std::exchange(other.x_fd, -1)),
    x_closed(other.x_closed),
    x_buffer(std::move(other.x_buffer)) {
  // nop
}

raw_socket& raw_socket::operator=(raw_socket&& other) noexcept {
  std::swap(x_fd, other.x_fd);
  std::swap(x_closed, other.x_closed);
  std::swap(x_buffer, other.x_buffer);
  return *this;
}

raw_socket::~raw_socket() {
  if (x_fd >= 0)
    ::close(x_fd);
}

bool raw_socket::send(std::string_view bytes) {
  auto end = clock::now() + patience;
  while (!bytes.empty()) {
    auto n
      = ::send(x_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      bytes.remove_prefix(static_cast<size_t>(n));
      end = clock::now() + patience;
    } else if (errno != EAGAIN || !wait_for(x_fd, POLLOUT, end)) {
      return false;
    }
  }
  return true;
}

void raw_socket::finish_sending() {
  ::shutdown(x_fd, SHUT_WR);
}

std::optional<response> raw_socket::receive(bool head,
                                            std::chrono::milliseconds bound) {
  auto end = clock::now() + bound;
  size_t head_end;
  while ((head_end = x_buffer.find("\r\n\r\n")) == std::string::npos)
    if (!fill(end))
      return std::nullopt;
  response result;
  auto lines = x_buffer.substr(0, head_end + 2);
  x_buffer.erase(0, head_end + 4);
  if (lines.rfind("HTTP/1.", 0) != 0 || lines.size() < 12)
    throw std::runtime_error("not an HTTP answer: " + lines.substr(0, 100));
  result.status = std::stoi(lines.substr(9, 3));
  auto pos = lines.find("\r\n") + 2;
  while (pos < lines.size()) {
    auto line_end = lines.find("\r\n", pos);
    auto line = lines.substr(pos, line_end - pos);
    pos = line_end + 2;
    auto colon = line.find(':');
    if (colon == std::string::npos)
      throw std::runtime_error("not a header: " + line);
    auto name = line.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
      return static_cast<char>(std::tolower(c));
    });
    auto first = line.find_first_not_of(" \t", colon + 1);
    result.headers.emplace(
      name, first == std::string::npos ? std::string{} : line.substr(first));
  }
  if (head || result.status == 204 || result.status == 304)
    return result;
  if (result.has("content-length")) {
    auto body = take(std::stoul(result.header("content-length")), end);
    if (!body)
      return std::nullopt;
    result.body = std::move(*body);
  } else if (result.has("transfer-encoding")) {
    for (;;) {
      size_t line_end;
      while ((line_end = x_buffer.find("\r\n")) == std::string::npos)
        if (!fill(end))
          return std::nullopt;
      auto size = std::stoul(x_buffer.substr(0, line_end), nullptr, 16);
      x_buffer.erase(0, line_end + 2);
      auto chunk = take(size + 2, end);
      if (!chunk)
        return std::nullopt;
      if (size == 0)
        break;
      result.body.append(*chunk, 0, size);
    }
  } else {
    while (fill(end))
      ; // nop
    result.body = std::move(x_buffer);
    x_buffer.clear();
  }
  return result;
}

std::optional<std::string> raw_socket::take(size_t size,
                                            clock::time_point end) {
  while (x_buffer.size() < size)
    if (!fill(end))
      return std::nullopt;
  auto result = x_buffer.substr(0, size);
  x_buffer.erase(0, size);
  return result;
}

bool raw_socket::idle() {
  return !x_closed && x_buffer.empty() && !wait_for(x_fd, POLLIN, clock::now());
}

bool raw_socket::wait_for_close(std::chrono::milliseconds bound) {
  auto end = clock::now() + bound;
  while (fill(end))
    ; // nop
  return x_closed;
}

bool raw_socket::fill(clock::time_point end) {
  if (x_closed || !wait_for(x_fd, POLLIN, end))
    return false;
  char buf[16384];
  auto n = ::recv(x_fd, buf, sizeof(buf), 0);
  if (n <= 0) {
    x_closed = true;
    return false;
  }
  x_buffer.append(buf, static_cast<size_t>(n));
  return true;
}

std::optional<response> raw_exchange(uint16_t port, std::string_view bytes,
                                     bool head) {
  raw_socket sock{port};
  sock.send(bytes);
  return sock.receive(head);
}

} // namespace turnout::test
