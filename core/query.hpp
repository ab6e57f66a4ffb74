#pragma once

#include <string>
#include <string_view>

namespace turnout {

/// Appends the parameters of a visit to a destination's query, before its
/// fragment, byte for byte and in order. Parameters whose name the destination
/// has already are left out (names compare after percent-decoding).
/// @param visit_query raw query without the question mark.
std::string merge_query(std::string_view destination,
                        std::string_view visit_query);

/// Adds one parameter in the same way; `name` and `value` must need no
/// encoding.
std::string add_parameter(std::string_view destination, std::string_view name,
                          std::string_view value);

} // namespace turnout
