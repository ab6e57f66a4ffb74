#pragma once

#include "http/exchange.hpp"
#include "http/site.hpp"

namespace turnout {

/// Answers a request below /auth: the built-in sign-in, as identity providers
/// offer it. Those who fail are slowed by address and by e-mail address.
void handle_sign_in(site& where, const exchange_ptr& x);

} // namespace turnout
