// Sends requests to one port of this machine and prints what became of them as
// JSON. With a rate it is an open loop: each request has a moment at which it
// is due, however slow the answers are, and its latency counts from then, so
// that a server that stops for a second shows in all requests of that second.
// Without a rate each connection sends its next request after the answer.
// It has to run all the time itself: how much of that was taken from it is
// told, and the latencies without the time of each request in which it was.

#include <CLI/CLI.hpp>
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

using moment = clock_type::time_point;

/// A pause of this program, which never waits for long, that it did not ask
/// for.
constexpr auto shortest_stall = std::chrono::microseconds{300};

/// Divides the requests in a file.
constexpr char separator = '\x1e';

struct options {
  int port = 0;
  std::string requests;
  double rate = 0;
  double seconds = 5;
  size_t connections = 64;
};

/// Counts durations in buckets that are 0.1 % wide, up to a minute.
class histogram {
public:
  void add(double seconds) {
    const auto us = std::clamp(seconds * 1e6, 1.0, 60e6);
    const auto i = static_cast<size_t>(std::log(us) * per_e);
    if (i >= x_counts.size())
      x_counts.resize(i + 1);
    ++x_counts[i];
    ++x_total;
    x_max = std::max(x_max, seconds);
  }

  /// Returns the milliseconds that a share of all is below.
  double quantile(double share) const {
    const auto wanted = share * static_cast<double>(x_total);
    double seen = 0;
    for (size_t i = 0; i < x_counts.size(); ++i) {
      seen += static_cast<double>(x_counts[i]);
      if (seen >= wanted && seen > 0)
        return std::exp(static_cast<double>(i + 1) / per_e) / 1000;
    }
    return 0;
  }

  double max_ms() const {
    return x_max * 1000;
  }

private:
  static constexpr double per_e = 1000;
  std::vector<uint64_t> x_counts;
  uint64_t x_total = 0;
  double x_max = 0;
};

std::vector<std::string> read_requests(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  const auto all = text.str();
  std::vector<std::string> result;
  for (size_t begin = 0; begin < all.size();) {
    const auto end = std::min(all.find(separator, begin), all.size());
    if (end > begin)
      result.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  if (result.empty())
    throw std::runtime_error("no requests in " + path);
  return result;
}

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(std::string{what} + ": " + std::strerror(errno));
}

struct connection {
  int fd = -1;
  bool busy = false;
  moment due;
  std::string_view unsent;
  std::string received;
};

class loader {
public:
  explicit loader(const options& what)
    : x_options(what),
      x_requests(read_requests(what.requests)),
      x_connections(what.connections) {
    x_epoll = epoll_create1(EPOLL_CLOEXEC);
    if (x_epoll < 0)
      fail("epoll");
  }

  loader(const loader&) = delete;
  loader& operator=(const loader&) = delete;

  ~loader() {
    for (auto& x : x_connections)
      if (x.fd >= 0)
        ::close(x.fd);
    ::close(x_epoll);
  }

  void run() {
    for (auto& x : x_connections) {
      open(x);
      x_idle.push_back(&x);
    }
    const auto start = clock_type::now();
    const auto end = start + seconds(x_options.seconds);
    // Who does not answer within that time after the end does not answer.
    const auto give_up = end + seconds(5);
    auto next = start;
    x_seen = start;
    while (true) {
      const auto t = look();
      if (x_options.rate > 0) {
        for (; next <= t && next < end; next += pause())
          x_due.push_back(next);
      } else if (t < end) {
        while (x_due.size() < x_idle.size())
          x_due.push_back(t);
      }
      while (!x_due.empty() && !x_idle.empty()) {
        auto& x = *x_idle.back();
        x_idle.pop_back();
        x.due = x_due.front();
        x_due.pop_front();
        send(x);
        look();
      }
      const auto all_sent
        = x_options.rate > 0 ? next >= end && x_due.empty() : t >= end;
      if ((all_sent && x_idle.size() == x_connections.size()) || t > give_up)
        break;
      wait(x_options.rate > 0 && next < end ? std::min(next, give_up)
                                            : std::max(t, end) + seconds(0.1));
    }
    x_took = std::chrono::duration<double>(std::min(clock_type::now(), give_up)
                                           - start)
               .count();
    x_unanswered = x_connections.size() - x_idle.size() + x_due.size();
  }

  void print() const {
    std::printf("{\"seconds\": %.3f, \"sent\": %llu, \"unanswered\": %llu, "
                "\"failed\": %llu, \"status\": {",
                x_took, static_cast<unsigned long long>(x_sent),
                static_cast<unsigned long long>(x_unanswered),
                static_cast<unsigned long long>(x_failed));
    const char* comma = "";
    uint64_t answered = 0;
    for (const auto& [status, count] : x_status) {
      std::printf("%s\"%d\": %llu", comma, status,
                  static_cast<unsigned long long>(count));
      comma = ", ";
      answered += count;
    }
    std::printf(
      "}, \"answered\": %llu, \"per_second\": %.1f, \"p50_ms\": %.3f, "
      "\"p99_ms\": %.3f, \"p999_ms\": %.3f, \"max_ms\": %.3f, "
      "\"client_stalled_percent\": %.2f, \"unstalled_p99_ms\": %.3f, "
      "\"unstalled_p999_ms\": %.3f}\n",
      static_cast<unsigned long long>(answered),
      static_cast<double>(answered) / x_took, x_latency.quantile(0.5),
      x_latency.quantile(0.99), x_latency.quantile(0.999), x_latency.max_ms(),
      100 * stalled_since({}).count() / x_took, x_unstalled.quantile(0.99),
      x_unstalled.quantile(0.999));
  }

private:
  static clock_type::duration seconds(double x) {
    return std::chrono::duration_cast<clock_type::duration>(
      std::chrono::duration<double>(x));
  }

  /// Returns the time, and notes when the core was taken from this program
  /// since it was asked last.
  moment look() {
    const auto result = clock_type::now();
    if (result - x_seen > shortest_stall)
      x_stalls.emplace_back(x_seen, result);
    x_seen = result;
    return result;
  }

  /// Returns for how long the core was taken from this program since then.
  std::chrono::duration<double> stalled_since(moment begin) const {
    std::chrono::duration<double> result{};
    for (auto i = x_stalls.rbegin(); i != x_stalls.rend() && i->second > begin;
         ++i)
      result += i->second - std::max(i->first, begin);
    return result;
  }

  /// Arrivals that do not know of each other.
  clock_type::duration pause() {
    return seconds(std::exponential_distribution<>{x_options.rate}(x_random));
  }

  void open(connection& x) {
    x.fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (x.fd < 0)
      fail("socket");
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(x_options.port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(x.fd, reinterpret_cast<sockaddr*>(&to), sizeof(to)) != 0)
      fail("connect");
    const int on = 1;
    ::setsockopt(x.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ::fcntl(x.fd, F_SETFL, O_NONBLOCK);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &x;
    if (::epoll_ctl(x_epoll, EPOLL_CTL_ADD, x.fd, &event) != 0)
      fail("epoll_ctl");
  }

  void send(connection& x) {
    x.busy = true;
    x.received.clear();
    x.unsent = x_requests[x_sent++ % x_requests.size()];
    write(x);
  }

  void write(connection& x) {
    const auto n = ::send(x.fd, x.unsent.data(), x.unsent.size(), MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN)
      return reopen(x);
    if (n > 0)
      x.unsent.remove_prefix(static_cast<size_t>(n));
    // Requests fit into the socket's buffer but for a stalled server.
    watch(x, x.unsent.empty() ? EPOLLIN : EPOLLIN | EPOLLOUT);
  }

  void watch(connection& x, uint32_t events) {
    static_assert(EPOLLIN == 1);
    auto& known = x_watched[x.fd];
    if (known == 0)
      known = EPOLLIN;
    if (known == events)
      return;
    known = events;
    epoll_event event{};
    event.events = events;
    event.data.ptr = &x;
    ::epoll_ctl(x_epoll, EPOLL_CTL_MOD, x.fd, &event);
  }

  void reopen(connection& x) {
    ++x_failed;
    x_watched.erase(x.fd);
    ::close(x.fd);
    open(x);
    // Which may have taken a while, but not from this program.
    x_seen = clock_type::now();
    free(x);
  }

  void free(connection& x) {
    x.busy = false;
    x_idle.push_back(&x);
  }

  void wait(moment until) {
    const auto left = std::max(until - look(), clock_type::duration{0});
    const auto ns
      = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
    const timespec timeout{static_cast<time_t>(ns / 1'000'000'000),
                           static_cast<long>(ns % 1'000'000'000)};
    epoll_event events[128];
    const auto n = ::epoll_pwait2(x_epoll, events, 128, &timeout, nullptr);
    x_seen = std::min(clock_type::now(), std::max(x_seen, until));
    for (int i = 0; i < n; ++i) {
      auto& x = *static_cast<connection*>(events[i].data.ptr);
      if ((events[i].events & EPOLLOUT) != 0)
        write(x);
      else
        read(x);
    }
  }

  void read(connection& x) {
    char buffer[65536];
    const auto n = ::recv(x.fd, buffer, sizeof(buffer), 0);
    if (n < 0 && errno == EAGAIN)
      return;
    if (n <= 0) {
      if (!x.busy) {
        // Closed between two requests: nothing is lost.
        std::erase(x_idle, &x);
        --x_failed;
      }
      return reopen(x);
    }
    x.received.append(buffer, static_cast<size_t>(n));
    const std::string_view text{x.received};
    const auto head = text.find("\r\n\r\n");
    if (head == std::string_view::npos
        || text.size() < head + 4 + body_bytes(text.substr(0, head + 2)))
      return;
    auto status = 0;
    std::from_chars(text.data() + 9, text.data() + 12, status);
    ++x_status[status];
    const std::chrono::duration<double> took = look() - x.due;
    x_latency.add(took.count());
    x_unstalled.add((took - stalled_since(x.due)).count());
    free(x);
  }

  static size_t body_bytes(std::string_view head) {
    for (auto name : {"\r\nContent-Length:", "\r\ncontent-length:"}) {
      const auto at = head.find(name);
      if (at == std::string_view::npos)
        continue;
      auto begin = at + std::strlen(name);
      while (head[begin] == ' ')
        ++begin;
      size_t result = 0;
      std::from_chars(head.data() + begin, head.data() + head.size(), result);
      return result;
    }
    return 0;
  }

  const options& x_options;
  const std::vector<std::string> x_requests;
  std::vector<connection> x_connections;
  std::vector<connection*> x_idle;
  std::deque<moment> x_due;
  std::map<int, uint32_t> x_watched;
  std::mt19937_64 x_random{1};
  int x_epoll = -1;
  uint64_t x_sent = 0;
  uint64_t x_failed = 0;
  uint64_t x_unanswered = 0;
  double x_took = 0;
  std::map<int, uint64_t> x_status;
  histogram x_latency;
  /// When this program was seen to run last.
  moment x_seen;
  /// When it did not, from and to.
  std::vector<std::pair<moment, moment>> x_stalls;
  /// Latencies without the time for which it did not.
  histogram x_unstalled;
};

} // namespace

int main(int argc, char** argv) {
  options what;
  CLI::App cli{"Sends HTTP requests and prints rate and latency as JSON"};
  cli.option_defaults()->always_capture_default();
  cli.add_option("--port", what.port, "Port on 127.0.0.1")->required();
  cli
    .add_option("--requests", what.requests,
                "File of whole requests, divided by the byte 0x1e")
    ->required();
  cli.add_option("--rate", what.rate,
                 "Requests a second; 0: as fast as it goes");
  cli.add_option("--seconds", what.seconds, "How long to send");
  cli.add_option("--connections", what.connections, "Open connections")
    ->check(CLI::Range(1, 10'000));
  CLI11_PARSE(cli, argc, argv);
  // A wait must end when the next request is due, not 50 us later.
  prctl(PR_SET_TIMERSLACK, 1);
  try {
    loader x{what};
    x.run();
    x.print();
    return 0;
  } catch (const std::exception& x) {
    std::fprintf(stderr, "bench_load: %s\n", x.what());
    return 1;
  }
}
