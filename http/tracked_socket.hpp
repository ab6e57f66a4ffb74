#pragma once

#include "monitoring/metrics.hpp"

#include <asio/basic_socket_acceptor.hpp>
#include <asio/basic_stream_socket.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <utility>
#include <vector>

namespace turnout {

/// What runs the handlers of connections. By its own type, as one that may be
/// of any kind is asked by virtual calls, several for each operation.
using reactor_executor = asio::io_context::executor_type;

using tcp_socket = asio::basic_stream_socket<asio::ip::tcp, reactor_executor>;

using tcp_acceptor
  = asio::basic_socket_acceptor<asio::ip::tcp, reactor_executor>;

/// The open connections of a listener, to count and to close them: the HTTP
/// library keeps no list.
class socket_set {
public:
  /// @param count is kept at the number of connections with those of other
  ///              sets; may be nullptr.
  explicit socket_set(prometheus::Gauge* count) : x_count{count} {
    // nop
  }

  void insert(tcp_socket* x) {
    std::lock_guard guard{x_mtx};
    if (x_sockets.insert(x).second && x_count)
      x_count->Increment();
  }

  void erase(tcp_socket* x) {
    std::function<void()> f;
    {
      std::lock_guard guard{x_mtx};
      if (x_sockets.erase(x) > 0 && x_count)
        x_count->Decrement();
      f = x_on_erase;
    }
    if (f)
      f();
  }

  size_t size() const {
    std::lock_guard guard{x_mtx};
    return x_sockets.size();
  }

  void on_erase(std::function<void()> f) {
    std::lock_guard guard{x_mtx};
    x_on_erase = std::move(f);
  }

  void close_all() {
    std::vector<tcp_socket*> sockets;
    {
      std::lock_guard guard{x_mtx};
      sockets.assign(x_sockets.begin(), x_sockets.end());
    }
    // Completion handlers, which may end connections, run later.
    for (auto* x : sockets) {
      asio::error_code ignored;
      x->close(ignored);
    }
  }

private:
  mutable std::mutex x_mtx;
  std::unordered_set<tcp_socket*> x_sockets;
  prometheus::Gauge* x_count;
  std::function<void()> x_on_erase;
};

/// A socket that is in a set as long as it lives.
class tracked_socket : public tcp_socket {
public:
  tracked_socket(tcp_socket x, std::shared_ptr<socket_set> set)
    : tcp_socket{std::move(x)}, x_set{std::move(set)} {
    x_set->insert(this);
  }

  // What was moved from leaves the set too, so it keeps its pointer.
  tracked_socket(tracked_socket&& x) noexcept
    // NOLINTNEXTLINE(performance-move-constructor-init)
    : tcp_socket{std::move(static_cast<tcp_socket&>(x))}, x_set{x.x_set} {
    x_set->insert(this);
  }

  tracked_socket& operator=(tracked_socket&&) = delete;

  ~tracked_socket() {
    x_set->erase(this);
  }

private:
  std::shared_ptr<socket_set> x_set;
};

} // namespace turnout
