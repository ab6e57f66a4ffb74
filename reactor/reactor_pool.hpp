#pragma once

#include <asio/io_context.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace turnout {

/// A fixed set of threads, each with its own asio io_context: a reactor. CAF
/// actors run on them through `reactor_scheduler`. The pool outlives the actor
/// system. The threads are named "reactor-0", "reactor-1", ... and block
/// SIGTERM and SIGINT.
class reactor_pool {
public:
  /// Takes a description of an exception that escaped from a handler.
  using error_handler = std::function<void(std::string_view)>;

  /// Makes `size` (at least 1) reactors; threads run from `start` on.
  explicit reactor_pool(size_t size);

  /// Stops and joins.
  ~reactor_pool();

  reactor_pool(const reactor_pool&) = delete;
  reactor_pool& operator=(const reactor_pool&) = delete;

  /// Replaces what happens to an exception that escapes from a handler, by
  /// default a line on stderr; the reactor goes on either way. Call it before
  /// `start`. Reactors call `f` at the same time; it must not throw.
  void on_error(error_handler f);

  /// Starts the threads. Work posted before runs now. Idempotent; allowed again
  /// after `stop`.
  void start();

  /// Lets each reactor finish the work it has (also work that reactors still
  /// give each other), then ends the threads and joins them. Timers and sockets
  /// with a pending operation are work: close them first. Idempotent. Never
  /// call it on a reactor.
  void stop();

  /// Number of reactors.
  size_t size() const noexcept;

  /// The io_context of reactor `index`; its work runs on one thread only.
  asio::io_context& context(size_t index) noexcept;

  /// Index of the reactor whose thread calls, or `npos`.
  size_t current() const noexcept;

  /// Runs `f` on the thread of a reactor, later; from any thread.
  void post(size_t index, std::function<void()> f);

  static constexpr size_t npos = static_cast<size_t>(-1);

private:
  struct impl;
  std::unique_ptr<impl> x_impl;
};

} // namespace turnout
