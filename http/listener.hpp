#pragma once

#include "core/error.hpp"
#include "http/exchange.hpp"
#include "http/listen_address.hpp"

#include <asio/io_context.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace turnout {

class metrics;

/// What a listener needs to know.
struct listener_options {
  /// Index of the reactor, for requests.
  size_t reactor = 0;
  /// Connections beyond wait until others end.
  size_t max_connections = 1000;
  /// For a request to arrive, and for a connection to be idle.
  int read_timeout_seconds = 60;
  std::string country_header;
  /// Where requests and connections are counted; nullptr for nowhere.
  metrics* counters = nullptr;
};

/// Serves HTTP/1.1 on one port with one io_context of one thread. All
/// functions but `in_flight` are for that thread, or for any while it does not
/// run.
class listener {
public:
  /// Takes a request; must not throw.
  using handler = std::function<void(const exchange_ptr&)>;

  listener(asio::io_context& context, listener_options options, handler f);

  ~listener();

  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;

  /// Starts to accept connections.
  /// @param share_port whether other sockets listen on the port too.
  caf::error open(const listen_address& where, bool share_port);

  /// The address with the real port.
  listen_address where() const;

  /// Changes how many connections may be open; those that are stay open.
  void set_max_connections(size_t n);

  /// Accepts no more connections and closes each after its next answer.
  void stop_accepting();

  /// Closes everything.
  void close();

  /// Requests that are not answered yet; from any thread.
  size_t in_flight() const noexcept;

private:
  class impl;
  std::shared_ptr<impl> x_impl;
};

} // namespace turnout
