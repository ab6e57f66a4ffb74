#include "http/api_call.hpp"

#include "monitoring/log.hpp"

#include <exception>

namespace turnout {

api_call::api_call(site& where, exchange_ptr x, error_form form)
  : x_site{where},
    x_exchange{std::move(x)},
    x_form{form},
    x_start{std::chrono::steady_clock::now()} {
  // nop
}

api_call::~api_call() {
  if (!x_sent) {
    auto answer = std::make_shared<response>(
      render_error(make_error(ec::unavailable, "not answered")));
    decorate(*answer);
    count(answer->status);
    auto* x = x_exchange.get();
    x->dispatch([x, answer] { x->send(std::move(*answer)); });
  }
  release(std::move(x_exchange));
}

void api_call::send(response x) {
  if (x_sent)
    return;
  x_sent = true;
  decorate(x);
  count(x.status);
  x_exchange->send(std::move(x));
}

void api_call::start(response head) {
  if (x_sent)
    return;
  x_sent = true;
  decorate(head);
  count(head.status);
  x_exchange->start(std::move(head));
}

void api_call::send_json(std::string body) {
  send(json_response(200, std::move(body)));
}

void api_call::fail(const caf::error& err) {
  if (code_of(err) == ec::internal)
    log::error("api call failed",
               {{"route", std::string{route}}, {"error", detail(err)}});
  send(render_error(err));
}

void api_call::fail(ec code, std::string detail) {
  fail(make_error(code, std::move(detail)));
}

caf::expected<uuid> api_call::path_id() const {
  if (auto id = uuid::parse(id_text))
    return *id;
  return make_error(ec::bad_request, "id must be a UUID");
}

void api_call::guarded(const std::function<void()>& f) noexcept {
  try {
    f();
    return;
  } catch (const std::exception& e) {
    log::error("exception in an api handler",
               {{"route", std::string{route}}, {"error", e.what()}});
  } catch (...) {
    log::error("exception in an api handler", {{"route", std::string{route}}});
  }
  try {
    send(render_error(make_error(ec::internal, "exception")));
  } catch (...) {
    // Without memory even for this the destructor's turn comes.
  }
}

response api_call::render_error(const caf::error& err) const {
  return x_form == error_form::api ? error_response(err)
                                   : sign_in_error_response(err);
}

void api_call::decorate(response& x) const {
  const auto seconds
    = std::chrono::floor<std::chrono::seconds>(rate.reset_at.time_since_epoch())
        .count();
  x.header("Access-Control-Allow-Origin", x_site.cors_origin)
    .header("Access-Control-Expose-Headers",
            "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, "
            "Retry-After")
    .header("X-RateLimit-Limit", std::to_string(rate.limit))
    .header("X-RateLimit-Remaining", std::to_string(rate.remaining))
    .header("X-RateLimit-Reset", std::to_string(seconds));
}

void api_call::count(int status) const {
  const std::chrono::duration<double> passed
    = std::chrono::steady_clock::now() - x_start;
  x_site.counters.api_request(route, to_string(in().method), status,
                              passed.count());
}

} // namespace turnout
