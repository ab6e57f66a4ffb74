#pragma once

#include "core/report.hpp"

#include <string>
#include <string_view>

namespace turnout {

/// Appends a field of a CSV file: in quotes where RFC 4180 asks for them, and
/// otherwise as it is.
void append_csv_field(std::string& out, std::string_view value);

/// Returns the first line, the names of a click event's fields.
std::string_view clicks_csv_header() noexcept;

/// Appends the line of a click event; what is null is empty.
void append_clicks_csv(std::string& out, std::string_view link_id,
                       const click_row& x);

} // namespace turnout
