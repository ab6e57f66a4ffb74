#pragma once

#include "core/error.hpp"
#include "core/time.hpp"
#include "core/uuid.hpp"
#include "identity/key_set.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace turnout::identity {

/// How far the clocks of identity provider and service may differ.
inline constexpr std::chrono::seconds token_leeway{60};

/// What a session token must say besides a subject and a time of expiry.
struct token_rules {
  /// Empty: anything.
  std::string issuer;
  /// Empty: anything.
  std::string audience;
  /// Claim that must be true for API access, "a.b" for b within a; empty for
  /// none.
  std::string required_claim;
};

/// What a session token says.
struct session_claims {
  uuid subject;
  /// Empty when the token names none.
  std::string email;
  /// Whether the required claim is true.
  bool api_access = true;
  /// When the token expires, without leeway. Not read by `issue_token`.
  timestamp expires_at;
};

/// What is thought of a session token.
struct token_verdict {
  enum class kind : uint8_t {
    valid,
    invalid,
    /// It would do, but no key of the set has signed it, and the provider may
    /// have newer ones.
    unknown_key,
  };
  kind what = kind::invalid;
  /// When valid.
  session_claims claims;
};

/// Verifies a session token (a JWT in compact form): its signature by a key of
/// the set with that key's own algorithm, and its claims. Takes some 30 to 100
/// microseconds for a public key.
token_verdict verify_token(std::string_view token, const key_set& keys,
                           const token_rules& rules, timestamp at);

/// Issues an HS256 session token that `rules` accept.
/// @param secret not empty.
caf::expected<std::string> issue_token(const session_claims& claims,
                                       std::string_view secret,
                                       const token_rules& rules, timestamp at,
                                       std::chrono::seconds lifetime);

/// Makes a refresh token: 64 hexadecimal digits from the CSPRNG.
std::string make_refresh_token();

} // namespace turnout::identity
