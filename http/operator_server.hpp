#pragma once

#include "actors/service.hpp"
#include "config/settings.hpp"
#include "http/listener.hpp"
#include "monitoring/metrics.hpp"

#include <asio/io_context.hpp>

#include <memory>
#include <string>
#include <thread>

namespace turnout {

/// The operator listener, on a thread of its own: `/metrics`, `/healthz` (the
/// process lives), `/readyz` (it can do its work, or 503 with the reason).
class operator_server {
public:
  operator_server(service& actors, const settings& options, metrics& counters);

  /// Closes.
  ~operator_server();

  operator_server(const operator_server&) = delete;
  operator_server& operator=(const operator_server&) = delete;

  /// Starts to serve.
  /// @returns the address bound, such as "127.0.0.1:9464".
  caf::expected<std::string> start();

  /// Closes all connections and ends the thread. Idempotent.
  void close();

private:
  void handle(const exchange_ptr& x) noexcept;

  response answer(const request& in) const;

  service& x_actors;
  metrics& x_counters;
  const std::string x_listen;
  asio::io_context x_context{1};
  std::unique_ptr<listener> x_listener;
  std::thread x_thread;
};

} // namespace turnout
