#pragma once

#include "core/event.hpp"
#include "http/site.hpp"

namespace turnout {

/// Tells whose conversion it may be: the click of the link's cookie, if the
/// request has one and no click is named yet, and the visitor.
void add_visitor(site& where, const request& in, conversion_request& x);

/// Reads a conversion from the query and headers of a request for the pixel or
/// for a redirecting conversion; values that make no sense are left out.
conversion_request read_conversion_query(site& where, const request& in,
                                         const uuid& link_id);

} // namespace turnout
