#include "actors/rate_limiter.hpp"

#include <caf/stateful_actor.hpp>

#include <chrono>

namespace turnout {

rate_status rate_limiter_state::admit(const uuid& account_id, int limit,
                                      timestamp at) {
  const auto hour = std::chrono::floor<std::chrono::hours>(at);
  const auto number = hour.time_since_epoch().count();
  if (number != x_hour) {
    x_used.clear();
    x_hour = number;
  }
  auto& used = x_used[account_id];
  rate_status result;
  result.allowed = used < limit;
  if (result.allowed)
    ++used;
  result.limit = limit;
  result.remaining = used < limit ? limit - used : 0;
  result.reset_at = hour + std::chrono::hours{1};
  return result;
}

rate_limiter_actor::behavior_type
rate_limiter(rate_limiter_actor::stateful_pointer<rate_limiter_state> self) {
  return {
    [=](const admission_call_ptr& call) {
      call->reply->deliver(
        self->state.admit(call->who.account_id, call->who.rate_limit, now()));
    },
  };
}

} // namespace turnout
