#include "http/bad_key_limiter.hpp"

#include <algorithm>
#include <chrono>

namespace turnout {

bad_key_limiter::bad_key_limiter(int per_minute, size_t max_clients)
  : x_max_clients{max_clients}, x_limit{per_minute} {
  // nop
}

void bad_key_limiter::set_limit(int per_minute) {
  std::lock_guard guard{x_mtx};
  x_limit = per_minute;
}

rate_status bad_key_limiter::count(const ip_address& client, timestamp now) {
  return use(client, now, 1);
}

rate_status bad_key_limiter::peek(const ip_address& client, timestamp now) {
  return use(client, now, 0);
}

rate_status bad_key_limiter::use(const ip_address& client, timestamp now,
                                 int n) {
  const auto minute = std::chrono::floor<std::chrono::minutes>(now);
  const auto number = static_cast<int64_t>(minute.time_since_epoch().count());
  key who{};
  who[0] = client.is_v4 ? 4 : 6;
  std::copy_n(client.bytes.begin(), client.is_v4 ? 4 : 8, who.begin() + 1);
  std::lock_guard guard{x_mtx};
  if (number != x_minute) {
    x_used.clear();
    x_used_by_others = 0;
    x_minute = number;
  }
  auto used = 0;
  auto i = x_used.find(who);
  if (i == x_used.end() && n > 0 && x_used.size() < x_max_clients)
    i = x_used.emplace(who, 0).first;
  auto& count = i != x_used.end() ? i->second : x_used_by_others;
  const auto is_counted = i != x_used.end() || x_used.size() >= x_max_clients;
  if (is_counted)
    used = count;
  rate_status result;
  result.allowed = used < x_limit;
  if (result.allowed && n > 0)
    used = count += n;
  result.limit = x_limit;
  result.remaining = std::max(0, x_limit - used);
  result.reset_at = minute + std::chrono::minutes{1};
  return result;
}

} // namespace turnout
