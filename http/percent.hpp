#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace turnout {

/// Undoes percent-encoding; nullopt when a '%' is not followed by two hex
/// digits.
/// @param plus_is_space whether '+' means a space, as it does in a query.
std::optional<std::string> percent_decode(std::string_view text,
                                          bool plus_is_space);

} // namespace turnout
