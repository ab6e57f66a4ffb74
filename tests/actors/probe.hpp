#pragma once

#include "actors/reply.hpp"
#include "actors/visit.hpp"

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace turnout::test {

/// How a visit was answered.
struct outcome {
  /// 302, 404 or 503.
  int status = 0;
  redirect_answer answer;
};

/// A visit that remembers its answer.
class probe_visit final : public visit {
public:
  explicit probe_visit(visit_request request) : x_request(std::move(request)) {
    // nop
  }

  ~probe_visit() override {
    finish({503, {}});
  }

  visit_request& request() noexcept override {
    return x_request;
  }

  void redirect(redirect_answer answer) override {
    finish({302, std::move(answer)});
  }

  void not_found() override {
    finish({404, {}});
  }

  void unavailable() override {
    finish({503, {}});
  }

  std::future<outcome> result() {
    return x_promise.get_future();
  }

private:
  void finish(outcome x) {
    if (!std::exchange(x_done, true))
      x_promise.set_value(std::move(x));
  }

  visit_request x_request;
  std::promise<outcome> x_promise;
  bool x_done = false;
};

/// Waits for a result, generously: a test that hangs must fail.
template <class T>
T await(std::future<T> x) {
  if (x.wait_for(std::chrono::seconds{30}) != std::future_status::ready)
    throw std::runtime_error{"no answer within 30 seconds"};
  return x.get();
}

/// A reply port that keeps what was delivered; `ec::unavailable` when dropped.
template <class T>
class probe_reply final : public reply_port<T> {
public:
  ~probe_reply() override {
    if (!x_done)
      x_promise.set_value(make_error(ec::unavailable, "dropped"));
  }

  void deliver(caf::expected<T> result) override {
    if (!std::exchange(x_done, true))
      x_promise.set_value(std::move(result));
  }

  std::future<caf::expected<T>> result() {
    return x_promise.get_future();
  }

private:
  std::promise<caf::expected<T>> x_promise;
  bool x_done = false;
};

} // namespace turnout::test
