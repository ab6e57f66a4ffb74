#pragma once

#include "http/listener.hpp"
#include "http/site.hpp"
#include "reactor/reactor_pool.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace turnout {

/// The public listener: short links, pixel and API, on every reactor of a pool,
/// all on one port. Start and stop it from outside the pool's threads, while
/// the pool runs. Requests under way refer to it, so that it must outlive the
/// actor system.
class public_server {
public:
  public_server(reactor_pool& pool, service& actors, const settings& options,
                metrics& counters, const geo_lookup& geo);

  /// Closes.
  ~public_server();

  public_server(const public_server&) = delete;
  public_server& operator=(const public_server&) = delete;

  /// Starts to serve.
  /// @returns the address bound, such as "127.0.0.1:8080".
  caf::expected<std::string> start();

  /// Takes over what a reload may change; no connection is closed and no
  /// request refused for it.
  void apply(const settings& options);

  /// Accepts no more connections and closes each after its next answer.
  void stop_accepting();

  /// Requests that are not answered yet; from any thread.
  size_t in_flight() const noexcept;

  /// Closes all connections. Idempotent.
  void close();

  /// Full addresses, without a slash at the end, once started.
  const std::string& base_url() const noexcept {
    return x_site.base_url;
  }

  const std::string& short_base() const noexcept {
    return x_site.short_base;
  }

private:
  template <class F>
  void on_each(F f);

  /// The share of one reactor in the connections of all.
  size_t connections_each(const settings& options) const noexcept;

  reactor_pool& x_pool;
  const std::string x_listen;
  site x_site;
  /// By reactor.
  std::vector<std::unique_ptr<listener>> x_listeners;
  bool x_is_open = false;
};

} // namespace turnout
