#pragma once

#include "http/exchange.hpp"
#include "http/site.hpp"

namespace turnout {

/// Answers a request below /auth: the built-in sign-in, as identity providers
/// offer it, and the sessions of the dashboard.
void handle_auth(site& where, const exchange_ptr& x);

} // namespace turnout
