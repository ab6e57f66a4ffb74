#pragma once

#include "core/error.hpp"

#include <memory>

namespace turnout {

/// The port through which an actor answers a request that came from outside
/// the actor system. An implementation answers at most once and, when it is
/// destroyed unanswered (a dropped message, a dead actor), answers
/// `ec::unavailable` itself: a request never hangs and never looks like a
/// success. `deliver` may be called from any thread.
template <class T>
class reply_port {
public:
  virtual ~reply_port() = default;

  virtual void deliver(caf::expected<T> result) = 0;
};

template <class T>
using reply_ptr = std::shared_ptr<reply_port<T>>;

} // namespace turnout
