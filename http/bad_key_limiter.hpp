#pragma once

#include "actors/service.hpp"
#include "core/privacy.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace turnout {

/// Counts API requests without a valid key, per client address and minute, so
/// that guessing keys is slow and costs nobody else's budget. IPv6 clients are
/// counted by their /64, of which one client may use every address. Memory is
/// bounded: clients beyond the bound share one count. Callable from any thread.
class bad_key_limiter {
public:
  /// @param per_minute requests that pass, at least 1.
  explicit bad_key_limiter(int per_minute, size_t max_clients = 65536);

  /// Changes how many pass, also of those of the current minute.
  /// @param per_minute at least 1.
  void set_limit(int per_minute);

  /// Counts a request.
  rate_status count(const ip_address& client, timestamp now);

  /// Returns the numbers without counting.
  rate_status peek(const ip_address& client, timestamp now);

private:
  using key = std::array<uint8_t, 17>;

  rate_status use(const ip_address& client, timestamp now, int n);

  const size_t x_max_clients;
  std::mutex x_mtx;
  int x_limit;
  /// Number of the minute that is being counted.
  int64_t x_minute = 0;
  std::map<key, int> x_used;
  int x_used_by_others = 0;
};

} // namespace turnout
