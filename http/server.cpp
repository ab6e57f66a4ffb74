#include "http/server.hpp"

#include "http/router.hpp"

#include <algorithm>
#include <future>
#include <utility>

namespace turnout {

public_server::public_server(reactor_pool& pool, service& actors,
                             const settings& options, metrics& counters,
                             const geo_lookup& geo)
  : x_pool{pool},
    x_listen{options.http.listen},
    x_site{actors, options, counters, geo, pool.size()} {
  const auto reactors = pool.size();
  for (size_t i = 0; i < reactors; ++i) {
    listener_options x;
    x.reactor = i;
    x.max_connections = connections_each(options);
    x.read_timeout_seconds = options.http.read_timeout_seconds;
    x.country_header = options.geo.country_header;
    x.counters = &counters;
    x_listeners.emplace_back(std::make_unique<listener>(
      pool.context(i), std::move(x),
      [this](const exchange_ptr& y) { route_request(x_site, y); }));
  }
}

public_server::~public_server() {
  close();
}

size_t public_server::connections_each(const settings& options) const noexcept {
  const auto all
    = static_cast<size_t>(std::max(1, options.http.max_connections));
  return (all + x_pool.size() - 1) / x_pool.size();
}

/// Runs `f` for each listener on its reactor and waits for all.
template <class F>
void public_server::on_each(F f) {
  std::vector<std::future<void>> done;
  for (size_t i = 0; i < x_listeners.size(); ++i) {
    auto task = std::make_shared<std::promise<void>>();
    done.push_back(task->get_future());
    x_pool.post(i, [task, f, x = x_listeners[i].get(), i] {
      f(*x, i);
      task->set_value();
    });
  }
  for (auto& x : done)
    x.get();
}

caf::expected<std::string> public_server::start() {
  auto where = listen_address::parse(x_listen);
  if (!where)
    return std::move(where.error());
  auto holder = port_holder::open(*where);
  if (!holder)
    return std::move(holder.error());
  const auto bound = (*holder)->where();
  // Before the first request.
  x_site.listening_on(bound.str());
  x_is_open = true;
  std::vector<caf::error> errors(x_listeners.size());
  on_each([&errors, &bound](listener& x, size_t i) {
    errors[i] = x.open(bound, true);
  });
  for (auto& err : errors)
    if (err) {
      close();
      return std::move(err);
    }
  return bound.str();
}

void public_server::apply(const settings& options) {
  x_site.apply(options);
  const auto connections = connections_each(options);
  if (x_is_open)
    on_each([connections](listener& x, size_t) {
      x.set_max_connections(connections);
    });
}

void public_server::stop_accepting() {
  if (x_is_open)
    on_each([](listener& x, size_t) { x.stop_accepting(); });
}

size_t public_server::in_flight() const noexcept {
  size_t result = 0;
  for (const auto& x : x_listeners)
    result += x->in_flight();
  return result;
}

void public_server::close() {
  if (std::exchange(x_is_open, false))
    on_each([](listener& x, size_t) { x.close(); });
}

} // namespace turnout
