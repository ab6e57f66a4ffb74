#pragma once

#include "actors/service.hpp"
#include "http/codec/query.hpp"

#include <string>
#include <vector>

namespace turnout {

/// What a new key is to be.
struct key_request {
  std::string name;
  key_type type = key_type::secret;
};

/// Reads `name` and `type` of the creation of a key. Fails with the first
/// broken rule.
caf::expected<key_request> read_key_request(const query_params& query);

/// Returns the answer of the creation of a key, the full key included.
std::string created_key_body(const created_key& x, int rate_limit);

/// Returns the answer of the list of keys.
std::string keys_body(const std::vector<api_key>& keys, int rate_limit);

/// Returns the answer of the rate-limit status.
std::string rate_limit_body(const rate_status& x);

} // namespace turnout
