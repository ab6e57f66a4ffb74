#pragma once

#include "actors/interfaces.hpp"
#include "core/time.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace turnout {

/// State of the RATE LIMITER: a fixed window of one UTC hour per account, which
/// the store keeps. What arrives while the store is being asked waits and goes
/// to it as one batch. The requests that may wait are bounded by those that the
/// HTTP servers let in.
class rate_limiter_state {
public:
  static inline const char* name = "rate_limiter";

  /// A question for the store.
  struct batch {
    std::vector<storage::admission> accounts;
    /// Number of the hour since 1970.
    int64_t hour = 0;
  };

  /// Takes a call: one of an account whose hour is used up is answered at once,
  /// others wait for the store.
  void add(const admission_call_ptr& call, timestamp at);

  /// Returns what to ask the store now; nothing while it is being asked or
  /// nobody waits.
  std::optional<batch> next(timestamp at);

  /// Answers those who waited for the store.
  void finish(const caf::expected<std::vector<storage::admitted>>& result);

private:
  using calls = std::vector<admission_call_ptr>;

  /// Forgets what was used when the hour is over.
  void turn_to(timestamp at);

  int used_by(const uuid& account_id) const;

  /// Number of the hour since 1970 that `x_used` is of.
  int64_t x_hour = 0;

  /// Requests that passed, as far as the store told.
  std::unordered_map<uuid, int> x_used;

  calls x_waiting;

  /// What the store is being asked; none when `x_asking` is empty.
  batch x_asked;

  /// Who waits for that answer, by account in the order of `x_asked`.
  std::vector<calls> x_asking;
};

/// Behavior of the RATE LIMITER.
rate_limiter_actor::behavior_type
rate_limiter(rate_limiter_actor::stateful_pointer<rate_limiter_state> self,
             const store_pool_actor& pool);

} // namespace turnout
