#pragma once

#include "http/exchange.hpp"
#include "http/site.hpp"

#include <string_view>

namespace turnout {

/// Answers `GET /c/{link_id}`: journals the conversion and then redirects to
/// the link's `conversion_redirect_url`. A paused link does so too, as its
/// visitors may still be on their way; a link that is deleted, unknown or
/// without such an address is 404. HEAD and prefetches redirect without a
/// conversion.
/// @param link_id text after "/c/".
void answer_conversion_redirect(site& where, const exchange_ptr& x,
                                std::string_view link_id);

} // namespace turnout
