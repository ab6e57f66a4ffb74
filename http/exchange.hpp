#pragma once

#include "http/request.hpp"
#include "http/response.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace turnout {

/// A request and the way back of its answer; hides the HTTP library. Destroyed
/// unanswered it answers 503 by itself: a client never waits in vain.
///
/// It belongs to the reactor of its connection and must be destroyed there; see
/// `release`.
class exchange {
public:
  virtual ~exchange() = default;

  const request& in() const noexcept {
    return x_in;
  }

  /// Answers; only the first call counts. On the own reactor only.
  virtual void send(response x) = 0;

  /// Begins an answer whose body follows in parts; counts as the answer. On the
  /// own reactor only, and not before the request was handed over: never from
  /// within the handler itself.
  virtual void start(response head) = 0;

  /// Sends a part of the body, after `start`. The next one must wait for
  /// `then`, which is called on the own reactor, later: with true when the
  /// socket has taken all of it, with false when there is nobody to send to
  /// any more. A client that reads nothing for the time limit of the listener
  /// is such a nobody.
  virtual void send_part(std::string part, std::function<void(bool)> then) = 0;

  /// Ends the body. An incomplete one ends with its connection and without the
  /// mark of the end, so that the client can tell. Only the first call counts;
  /// forgotten, the body is incomplete.
  virtual void finish(bool complete) = 0;

  /// Returns whether the caller is on the own reactor.
  virtual bool is_here() const noexcept = 0;

  /// Runs `f` on the own reactor, later.
  virtual void post(std::function<void()> f) = 0;

  /// Runs `f` on the own reactor: at once when called there, otherwise later.
  template <class F>
  void dispatch(F f) {
    if (is_here())
      f();
    else
      post(std::move(f));
  }

protected:
  request x_in;
};

using exchange_ptr = std::shared_ptr<exchange>;

/// Gives a reference up on the exchange's own reactor, from any thread.
inline void release(exchange_ptr x) {
  if (x && !x->is_here()) {
    auto* ptr = x.get();
    ptr->post([x = std::move(x)] {
      // nop
    });
  }
}

/// Returns the answer to a request that nobody answers.
response unanswered();

} // namespace turnout
