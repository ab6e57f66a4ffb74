#include "actors/rate_limiter.hpp"

#include "actors/store_call.hpp"

#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace turnout {

namespace {

using std::chrono::hours;

int64_t hour_of(timestamp at) {
  return std::chrono::floor<hours>(at).time_since_epoch().count();
}

rate_status make_status(int limit, int used, int64_t hour) {
  rate_status result;
  result.limit = limit;
  result.remaining = std::max(0, limit - used);
  result.reset_at = timestamp{hours{hour + 1}};
  return result;
}

} // namespace

// -- state --------------------------------------------------------------------

void rate_limiter_state::turn_to(timestamp at) {
  if (const auto hour = hour_of(at); hour != x_hour) {
    x_used.clear();
    x_hour = hour;
  }
}

int rate_limiter_state::used_by(const uuid& account_id) const {
  const auto i = x_used.find(account_id);
  return i != x_used.end() ? i->second : 0;
}

void rate_limiter_state::add(const admission_call_ptr& call, timestamp at) {
  turn_to(at);
  const auto used = used_by(call->account_id);
  if (used < call->limit) {
    x_waiting.push_back(call);
    return;
  }
  // Within an hour the use never falls: the store could say nothing else.
  auto status = make_status(call->limit, used, x_hour);
  status.allowed = false;
  call->reply->deliver(status);
}

std::optional<rate_limiter_state::batch>
rate_limiter_state::next(timestamp at) {
  if (!x_asking.empty() || x_waiting.empty())
    return std::nullopt;
  turn_to(at);
  x_asked.accounts.clear();
  x_asked.hour = x_hour;
  std::unordered_map<uuid, size_t> places;
  for (auto& call : std::exchange(x_waiting, {})) {
    const auto [i, is_new]
      = places.try_emplace(call->account_id, x_asking.size());
    if (is_new) {
      x_asking.emplace_back();
      x_asked.accounts.push_back({call->account_id, 0, 0});
    }
    auto& entry = x_asked.accounts[i->second];
    // The newest call knows the newest limit.
    entry.limit = call->limit;
    entry.count += call->counts ? 1 : 0;
    x_asking[i->second].push_back(std::move(call));
  }
  return x_asked;
}

void rate_limiter_state::finish(
  const caf::expected<std::vector<storage::admitted>>& result) {
  const auto asked = std::exchange(x_asked, {});
  const auto asking = std::exchange(x_asking, {});
  const auto is_answer = result && result->size() == asked.accounts.size();
  for (size_t i = 0; i < asked.accounts.size(); ++i) {
    const auto& [account_id, limit, count] = asked.accounts[i];
    if (!is_answer) {
      const auto used = asked.hour == x_hour ? used_by(account_id) : 0;
      auto status = make_status(limit, used, asked.hour);
      status.allowed = status.is_known = false;
      for (const auto& call : asking[i])
        call->reply->deliver(status);
      continue;
    }
    const auto [before, after] = (*result)[i];
    if (asked.hour == x_hour)
      x_used[account_id] = std::max(used_by(account_id), after);
    // Who came first passes first.
    auto used = before;
    for (const auto& call : asking[i]) {
      const auto passes = call->counts && used < after;
      used += passes ? 1 : 0;
      auto status = make_status(limit, call->counts ? used : after, asked.hour);
      status.allowed = passes || (!call->counts && after < limit);
      call->reply->deliver(status);
    }
  }
}

// -- behavior -----------------------------------------------------------------

namespace {

using limiter_pointer
  = rate_limiter_actor::stateful_pointer<rate_limiter_state>;

void ask_store(limiter_pointer self, const store_pool_actor& pool) {
  auto batch = self->state.next(now());
  if (!batch)
    return;
  store_call<std::vector<storage::admitted>>(
    self, pool, "admit",
    [batch = std::move(*batch)](storage::backend& db) {
      return db.admit(batch.accounts, batch.hour);
    },
    [=](const caf::expected<std::vector<storage::admitted>>& result) {
      self->state.finish(result);
      ask_store(self, pool);
    });
}

} // namespace

rate_limiter_actor::behavior_type rate_limiter(limiter_pointer self,
                                               const store_pool_actor& pool) {
  return {
    [=](const admission_call_ptr& call) {
      self->state.add(call, now());
      ask_store(self, pool);
    },
  };
}

} // namespace turnout
