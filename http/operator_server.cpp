#include "http/operator_server.hpp"

#include "http/pages.hpp"
#include "monitoring/log.hpp"

#include <asio/post.hpp>

#include <exception>
#include <utility>

namespace turnout {

namespace {

response text_response(int status, std::string text) {
  response result{status};
  result.content("text/plain; charset=utf-8", std::move(text));
  return result;
}

} // namespace

operator_server::operator_server(service& actors, const settings& options,
                                 metrics& counters)
  : x_actors{actors},
    x_counters{counters},
    x_listen{options.http.operator_listen} {
  listener_options x;
  x.max_connections = 64;
  x.read_timeout_seconds = options.http.read_timeout_seconds;
  x_listener = std::make_unique<listener>(
    x_context, std::move(x), [this](const exchange_ptr& y) { handle(y); });
}

operator_server::~operator_server() {
  close();
}

caf::expected<std::string> operator_server::start() {
  auto where = listen_address::parse(x_listen);
  if (!where)
    return std::move(where.error());
  if (auto err = x_listener->open(*where, false))
    return err;
  x_thread = std::thread{[this] {
    for (;;) {
      try {
        x_context.run();
        return;
      } catch (const std::exception& e) {
        log::error("exception in the operator listener", {{"error", e.what()}});
      }
    }
  }};
  return x_listener->where().str();
}

void operator_server::close() {
  if (!x_thread.joinable())
    return;
  asio::post(x_context, [this] { x_listener->close(); });
  // With its sockets gone the context runs out of work.
  x_thread.join();
}

void operator_server::handle(const exchange_ptr& x) noexcept {
  try {
    x->send(answer(x->in()));
  } catch (const std::exception& e) {
    log::error("exception in the operator listener", {{"error", e.what()}});
  }
}

response operator_server::answer(const request& in) const {
  if (in.method != http_method::get && in.method != http_method::head)
    return only_get_and_head();
  if (in.path == "/metrics") {
    response result{200};
    result.content("text/plain; version=0.0.4; charset=utf-8",
                   x_counters.expose());
    return result;
  }
  if (in.path == "/healthz")
    return text_response(200, "ok");
  if (in.path == "/readyz") {
    auto reason = x_actors.not_ready();
    if (reason.empty())
      return text_response(200, "ok");
    return text_response(503, std::move(reason));
  }
  return detail_response(404, "Not found");
}

} // namespace turnout
