#pragma once

#include "http/exchange.hpp"
#include "http/site.hpp"

namespace turnout {

/// Answers a request of the public listener: short links first, which are
/// recognised by having one segment, then everything else. Never throws.
void route_request(site& where, const exchange_ptr& x) noexcept;

} // namespace turnout
