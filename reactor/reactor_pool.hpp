#pragma once

#include <asio/io_context.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace turnout {

/// A fixed set of threads, each with its own asio io_context: a reactor. CAF
/// actors run on them through `reactor_scheduler`. The pool outlives the actor
/// system.
class reactor_pool {
public:
  /// Makes `size` (at least 1) reactors; threads run from `start` on.
  explicit reactor_pool(size_t size);

  /// Stops and joins.
  ~reactor_pool();

  reactor_pool(const reactor_pool&) = delete;
  reactor_pool& operator=(const reactor_pool&) = delete;

  /// Starts the threads.
  void start();

  /// Lets each reactor finish the work it has, then ends the threads and joins
  /// them. Idempotent.
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
