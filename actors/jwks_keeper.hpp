#pragma once

#include "actors/interfaces.hpp"
#include "identity/session_verifier.hpp"
#include "monitoring/metrics.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <string>

namespace turnout {

/// What the JWKS KEEPER works with; all must outlive it.
struct jwks_tools {
  /// Fetches the JWKS; may block.
  std::function<caf::expected<std::string>()> fetch;
  /// Finds out whom valid claims speak for.
  std::function<session(const identity::session_claims&)> open;
  identity::session_verifier* verifier = nullptr;
  metrics* counters = nullptr;
  /// Between fetches that nobody asked for.
  std::chrono::milliseconds refresh_interval{300'000};
  /// Least time between fetches, so that tokens with made-up keys cannot have
  /// the identity provider flooded.
  std::chrono::milliseconds min_interval{2'000};
  /// Requests that may wait. Overflow policy: refuse the newest.
  size_t max_waiting = 1'000;
};

/// State of the JWKS KEEPER.
struct jwks_keeper_state {
  static inline const char* name = "jwks_keeper";

  jwks_keeper_state() = default;

  /// When the last fetch ended.
  std::chrono::steady_clock::time_point fetched_at{};
  /// Whether that one succeeded.
  bool fetched = false;
  /// Whether a tick is on its way.
  bool ticking = false;
  std::deque<session_call_ptr> waiting;
};

/// Answers a call, if the keys in force suffice or `is_last`.
/// @returns whether it was answered.
bool answer_session(const jwks_tools& tools, const session_call& call,
                    bool fetched, bool is_last);

/// Behavior of the JWKS KEEPER; fetches at once. Keys that were fetched once
/// stay in force when a later fetch fails. To be spawned detached.
jwks_keeper_actor::behavior_type
jwks_keeper(jwks_keeper_actor::stateful_pointer<jwks_keeper_state> self,
            const jwks_tools& tools);

} // namespace turnout
