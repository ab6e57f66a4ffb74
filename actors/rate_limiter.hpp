#pragma once

#include "actors/interfaces.hpp"
#include "core/time.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <cstdint>
#include <unordered_map>

namespace turnout {

/// State of the RATE LIMITER: a fixed window of one UTC hour per account.
class rate_limiter_state {
public:
  static inline const char* name = "rate_limiter";

  /// Counts one request of an account at a time.
  /// @param limit requests per hour, at least 0.
  rate_status admit(const uuid& account_id, int limit, timestamp at);

private:
  /// Number of the hour since the epoch that `x_used` counts.
  int64_t x_hour = 0;
  std::unordered_map<uuid, int> x_used;
};

/// Behavior of the RATE LIMITER.
rate_limiter_actor::behavior_type
rate_limiter(rate_limiter_actor::stateful_pointer<rate_limiter_state> self);

} // namespace turnout
