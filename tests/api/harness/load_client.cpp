#include "tests/api/harness/load_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace turnout::test {

struct load_client::connection {
  int fd = -1;
  size_t path = 0;
  bool awaiting = false;
  std::string buffer;
};

namespace {

/// Returns the size of the first whole answer in `bytes`, 0 if there is none.
size_t answer_size(std::string_view bytes) {
  auto head_end = bytes.find("\r\n\r\n");
  if (head_end == std::string_view::npos)
    return 0;
  auto size = head_end + 4;
  for (std::string_view name : {"Content-Length:", "content-length:"}) {
    auto pos = bytes.substr(0, head_end).find(name);
    if (pos != std::string_view::npos)
      size += std::strtoul(bytes.data() + pos + name.size(), nullptr, 10);
  }
  return bytes.size() >= size ? size : 0;
}

} // namespace

load_client::load_client(uint16_t port, std::vector<std::string> paths,
                         size_t connections, const std::string& headers)
  : x_port(port), x_num_connections(connections), x_tallies(paths.size()) {
  for (auto& path : paths)
    x_requests.push_back("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                         + headers + "\r\n");
  x_thread = std::thread{[this] { run(); }};
}

load_client::~load_client() {
  finish();
}

void load_client::finish() {
  x_finishing = true;
  if (x_thread.joinable())
    x_thread.join();
}

void load_client::wait_until_cut_off() {
  x_reconnect = false;
  if (x_thread.joinable())
    x_thread.join();
}

int64_t load_client::unanswered() const {
  int64_t result = 0;
  for (auto& x : x_tallies)
    result += x.unanswered;
  return result;
}

void load_client::run() {
  x_epoll = ::epoll_create1(EPOLL_CLOEXEC);
  std::vector<std::unique_ptr<connection>> all;
  for (size_t i = 0; i < x_num_connections; ++i) {
    all.push_back(std::make_unique<connection>());
    if (open(*all.back()))
      send_next(*all.back());
  }
  auto some = [&] {
    for (auto& x : all)
      if (x->fd >= 0 && (x->awaiting || !x_finishing))
        return true;
    return false;
  };
  std::array<epoll_event, 64> events;
  while (some()) {
    auto n = ::epoll_wait(x_epoll, events.data(), events.size(), 20);
    for (int i = 0; i < n; ++i) {
      auto& x
        = *static_cast<connection*>(events[static_cast<size_t>(i)].data.ptr);
      if (receive(x))
        continue;
      close(x);
      if (!x_finishing && x_reconnect && open(x))
        send_next(x);
    }
  }
  for (auto& x : all)
    close(*x);
  ::close(x_epoll);
}

bool load_client::open(connection& x) {
  x.fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(x_port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(x.fd, reinterpret_cast<sockaddr*>(&address), sizeof(address))
      != 0) {
    ::close(x.fd);
    x.fd = -1;
    return false;
  }
  int on = 1;
  ::setsockopt(x.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = &x;
  ::epoll_ctl(x_epoll, EPOLL_CTL_ADD, x.fd, &event);
  return true;
}

void load_client::close(connection& x) {
  if (x.fd < 0)
    return;
  if (x.awaiting)
    ++x_tallies[x.path].unanswered;
  x.awaiting = false;
  x.buffer.clear();
  ::close(x.fd);
  x.fd = -1;
}

void load_client::send_next(connection& x) {
  if (x_finishing)
    return;
  x.path = x_next_path;
  x_next_path = (x_next_path + 1) % x_requests.size();
  auto& request = x_requests[x.path];
  // A request is far smaller than a socket's buffer. What was sent may have
  // been counted, whatever comes back.
  x.awaiting = true;
  [[maybe_unused]] auto n
    = ::send(x.fd, request.data(), request.size(), MSG_NOSIGNAL);
}

bool load_client::receive(connection& x) {
  char buf[8192];
  auto n = ::recv(x.fd, buf, sizeof(buf), 0);
  if (n <= 0)
    return false;
  x.buffer.append(buf, static_cast<size_t>(n));
  auto size = answer_size(x.buffer);
  if (size == 0)
    return true;
  auto status = std::atoi(x.buffer.c_str() + 9);
  x.awaiting = false;
  if (status == 302) {
    ++x_tallies[x.path].acknowledged;
    ++x_acknowledged;
  } else {
    ++x_others[status];
  }
  auto last = x.buffer.find("onnection: close") < size;
  x.buffer.erase(0, size);
  if (last)
    return false;
  send_next(x);
  return true;
}

} // namespace turnout::test
