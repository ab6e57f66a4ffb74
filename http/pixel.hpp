#pragma once

#include "http/exchange.hpp"
#include "http/site.hpp"

#include <string_view>

namespace turnout {

/// Answers `GET /c/{link_id}.gif`: always the GIF, after the conversion, if
/// there is a link id, was journaled.
/// @param link_id text between "/c/" and ".gif".
void answer_pixel(site& where, const exchange_ptr& x, std::string_view link_id);

} // namespace turnout
