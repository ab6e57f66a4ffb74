#include "http/attempt_limiter.hpp"

#include <algorithm>

namespace turnout {

attempt_limiter::attempt_limiter(options x) : x_options{x} {
  // nop
}

std::chrono::seconds attempt_limiter::begin(const std::string& who,
                                            timestamp at) {
  using std::chrono::seconds;
  const std::lock_guard guard{x_mutex};
  auto i = x_records.find(who);
  if (i == x_records.end()) {
    make_room(at);
    i = x_records.emplace(who, record{}).first;
  }
  auto& x = i->second;
  if (x.failures > 0 && at - x.last > x_options.memory)
    x.failures = 0;
  if (x.failures >= x_options.free_failures && at < x.blocked_until)
    return std::max(seconds{1},
                    std::chrono::ceil<seconds>(x.blocked_until - at));
  if (x.under_way >= x_options.max_at_once)
    return seconds{1};
  ++x.under_way;
  return seconds{0};
}

void attempt_limiter::end(const std::string& who) {
  const std::lock_guard guard{x_mutex};
  if (auto i = x_records.find(who); i != x_records.end())
    leave(i);
}

void attempt_limiter::fail(const std::string& who, timestamp at) {
  const std::lock_guard guard{x_mutex};
  const auto i = x_records.find(who);
  if (i == x_records.end())
    return;
  auto& x = i->second;
  ++x.failures;
  x.last = at;
  const auto doublings
    = std::clamp(x.failures - x_options.free_failures, 0, 20);
  x.blocked_until
    = at
      + std::min(x_options.max_wait, x_options.first_wait * (1 << doublings));
  leave(i);
}

void attempt_limiter::succeed(const std::string& who) {
  const std::lock_guard guard{x_mutex};
  const auto i = x_records.find(who);
  if (i == x_records.end())
    return;
  i->second.failures = 0;
  leave(i);
}

size_t attempt_limiter::size() const {
  const std::lock_guard guard{x_mutex};
  return x_records.size();
}

void attempt_limiter::make_room(timestamp at) {
  if (x_records.size() < x_options.max_keys)
    return;
  std::erase_if(x_records, [&](const auto& x) {
    return x.second.under_way == 0 && at - x.second.last > x_options.memory;
  });
  // Those under way keep their records; requests under way are bounded.
  for (auto i = x_records.begin();
       i != x_records.end() && x_records.size() >= x_options.max_keys;)
    i = i->second.under_way == 0 ? x_records.erase(i) : std::next(i);
}

void attempt_limiter::leave(records::iterator i) {
  if (--i->second.under_way == 0 && i->second.failures == 0)
    x_records.erase(i);
}

} // namespace turnout
