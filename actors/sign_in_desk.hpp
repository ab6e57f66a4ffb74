#pragma once

#include "actors/interfaces.hpp"
#include "identity/token.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <string>

namespace turnout {

/// How long a session token is valid.
inline constexpr std::chrono::seconds session_lifetime{3600};

/// How long a refresh token is.
inline constexpr auto refresh_lifetime = std::chrono::days{30};

/// How long a session of the dashboard is, from the sign-in on.
inline constexpr auto web_session_lifetime = std::chrono::days{30};

/// Characters of such a session's cookie.
inline constexpr size_t web_session_size = 64;

/// Attempts to sign in that may be under way: some seconds' work. Overflow
/// policy: refuse the newest.
inline constexpr int max_sign_ins = 64;

/// What session tokens are issued with.
struct token_issuer {
  std::string secret;
  identity::token_rules rules;
};

/// State of the SIGN-IN DESK.
struct sign_in_desk_state {
  static inline const char* name = "sign_in_desk";

  /// Is verified for unknown e-mail addresses, so that they take as long as
  /// known ones.
  std::string dummy_hash;
};

/// Behavior of the SIGN-IN DESK, to be spawned detached: each password takes
/// some 50 ms of its thread.
sign_in_desk_actor::behavior_type
sign_in_desk(sign_in_desk_actor::stateful_pointer<sign_in_desk_state> self,
             const store_pool_actor& pool, const token_issuer& issuer);

} // namespace turnout
