#pragma once

#include <string>
#include <string_view>

namespace turnout {

/// Appends `text` as a JSON string with its quotation marks. Each byte that is
/// not part of valid UTF-8 becomes U+FFFD, so that the result always parses.
void append_json_string(std::string& out, std::string_view text);

} // namespace turnout
