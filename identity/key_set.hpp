#pragma once

#include "core/error.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace turnout::identity {

/// How a session token may be signed. What is not here, "none" above all, is
/// refused.
enum class algorithm : uint8_t { hs256, rs256, es256 };

/// Keys that session tokens are verified with; immutable. A key belongs to one
/// algorithm, so that a public key is never taken for a secret.
class key_set {
public:
  struct key {
    /// May be empty.
    std::string id;
    algorithm use = algorithm::hs256;
    /// The JOSE library's key.
    std::shared_ptr<void> handle;
  };

  /// Takes the keys of a JWKS that verify RS256 (at least 2048 bits) or ES256
  /// and skips all others. Fails with `ec::invalid` when the text is no JWKS or
  /// has no such key.
  static caf::expected<std::shared_ptr<const key_set>>
  from_jwks(std::string_view text);

  /// Makes the set of a single secret, for HS256. Fails with `ec::invalid` for
  /// an empty one.
  static caf::expected<std::shared_ptr<const key_set>>
  from_secret(std::string_view secret);

  /// Makes the set of an identity provider whose keys were not fetched yet.
  static std::shared_ptr<const key_set> not_fetched();

  const std::vector<key>& keys() const noexcept {
    return x_keys;
  }

  /// Whether the identity provider may have keys that are not in here.
  bool may_grow() const noexcept {
    return x_may_grow;
  }

private:
  std::vector<key> x_keys;
  bool x_may_grow = false;
};

} // namespace turnout::identity
