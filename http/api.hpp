#pragma once

#include "http/exchange.hpp"
#include "http/site.hpp"

namespace turnout {

/// Answers a request below base_url. Checks path and method, then the key, its
/// kind, API access and the rate limit, then lets the operation's handler work.
void handle_api(site& where, const exchange_ptr& x);

} // namespace turnout
