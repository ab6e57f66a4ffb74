#pragma once

#include "identity/token.hpp"

#include <atomic>
#include <memory>
#include <string_view>
#include <utility>

namespace turnout::identity {

/// Verifies session tokens with the keys in force, which can be replaced at
/// any time. May be used from any thread.
class session_verifier {
public:
  session_verifier(token_rules rules, std::shared_ptr<const key_set> keys)
    : x_rules(std::move(rules)), x_keys(std::move(keys)) {
    // nop
  }

  token_verdict check(std::string_view token, timestamp at) const {
    return verify_token(token, *x_keys.load(), x_rules, at);
  }

  void replace(std::shared_ptr<const key_set> keys) {
    x_keys.store(std::move(keys));
  }

private:
  const token_rules x_rules;
  std::atomic<std::shared_ptr<const key_set>> x_keys;
};

} // namespace turnout::identity
