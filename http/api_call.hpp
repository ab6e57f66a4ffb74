#pragma once

#include "actors/reply.hpp"
#include "http/exchange.hpp"
#include "http/site.hpp"

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace turnout {

class api_call;

using api_call_ptr = std::shared_ptr<api_call>;

/// How the errors of a request are written.
enum class error_form : uint8_t { api, sign_in };

/// An API request under way and the way back of its answer, to which it adds
/// what every API answer has: CORS and the numbers of the rate limit. When the
/// last reference goes before it was answered, it answers 503. Answers are
/// given on the reactor of the connection.
class api_call : public std::enable_shared_from_this<api_call> {
public:
  api_call(site& where, exchange_ptr x, error_form form = error_form::api);

  ~api_call();

  api_call(const api_call&) = delete;
  api_call& operator=(const api_call&) = delete;

  const request& in() const noexcept {
    return x_exchange->in();
  }

  site& where() const noexcept {
    return x_site;
  }

  exchange& channel() const noexcept {
    return *x_exchange;
  }

  /// Answers; only the first call counts.
  void send(response x);

  /// Begins an answer whose body follows in parts through `channel()`.
  void start(response head);

  /// Answers 200 with a JSON body.
  void send_json(std::string body);

  /// Answers with an error.
  void fail(const caf::error& err);

  /// Answers with an error.
  void fail(ec code, std::string detail);

  /// Returns the id in the path; an error when it is malformed.
  caf::expected<uuid> path_id() const;

  /// Runs `f`; an exception is logged and answered 500.
  void guarded(const std::function<void()>& f) noexcept;

  /// Makes a port for an actor's answer: `f(call, result)` runs on the reactor
  /// of the connection.
  template <class T, class F>
  reply_ptr<T> receive(F f);

  /// Makes a port for an actor's answer: errors are answered, for a value
  /// `f(call, value)` runs on the reactor of the connection.
  template <class T, class F>
  reply_ptr<T> receive_value(F f);

  /// Whom the key or session token speaks for, once it is known.
  principal who;

  /// What the session token says of the e-mail address.
  std::string email;

  /// Numbers for the headers.
  rate_status rate;

  /// Template of the path, for metrics.
  std::string_view route = "unknown";

  /// Text of {id} in the path.
  std::string_view id_text;

private:
  response render_error(const caf::error& err) const;

  void decorate(response& x) const;

  void count(int status) const;

  site& x_site;
  exchange_ptr x_exchange;
  error_form x_form;
  std::chrono::steady_clock::time_point x_start;
  bool x_sent = false;
};

/// The port that `api_call::receive` makes.
template <class T, class F>
class api_port final : public reply_port<T> {
public:
  api_port(api_call_ptr call, F f)
    : x_call{std::move(call)}, x_f{std::move(f)} {
    // nop
  }

  ~api_port() override {
    // While an exception is on its way, whoever catches it answers; or else the
    // call itself does.
    if (!x_done && std::uncaught_exceptions() == 0)
      run(make_error(ec::unavailable, "not answered"));
  }

  void deliver(caf::expected<T> result) override {
    if (!x_done.exchange(true))
      run(std::move(result));
  }

private:
  void run(caf::expected<T> result) {
    // Shared, because std::function copies what it holds.
    auto shared = std::make_shared<caf::expected<T>>(std::move(result));
    auto& channel = x_call->channel();
    channel.dispatch([call = std::move(x_call), f = std::move(x_f), shared] {
      call->guarded([&] { f(*call, std::move(*shared)); });
    });
  }

  api_call_ptr x_call;
  F x_f;
  std::atomic<bool> x_done = false;
};

template <class T, class F>
reply_ptr<T> api_call::receive(F f) {
  return std::make_shared<api_port<T, F>>(shared_from_this(), std::move(f));
}

template <class T, class F>
reply_ptr<T> api_call::receive_value(F f) {
  return receive<T>(
    [f = std::move(f)](api_call& call, caf::expected<T> result) {
      if (result)
        f(call, std::move(*result));
      else
        call.fail(result.error());
    });
}

} // namespace turnout
