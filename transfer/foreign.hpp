#pragma once

#include "core/error.hpp"
#include "transfer/fields.hpp"
#include "transfer/record.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnout::transfer {

/// The services whose exports are understood (docs/import-export.md names the
/// fields).
enum class service : uint8_t { bitly, yourls, kutt, shlink };

/// Parses the names above; nullopt for anything else.
std::optional<service> parse_service(std::string_view name) noexcept;

/// Checks that a CSV header has what a link of the service needs.
/// @param columns folded names.
caf::error check_columns(service from, const std::vector<std::string>& columns);

/// Makes a link of an exported one: variant A takes all traffic to its one
/// destination, B is the same with weight 0. Fails when it has what Turnout
/// cannot keep, such as a password.
caf::expected<json::object> convert(service from, const field_map& x);

/// Returns the time of an export as ISO 8601 of ours: with a space for the T,
/// with a zone such as "+0000" or "UTC", or in seconds since 1970. What is none
/// comes back as it is.
std::string normal_time(std::string_view text);

/// Returns a title as a name may be: control characters are spaces, and what
/// is beyond 100 characters is cut off.
std::string normal_name(std::string_view title);

/// Returns the path of a short address without slashes at its ends, such as
/// "abc" of "https://bit.ly/abc", "bit.ly/abc" and "/abc/".
std::string path_of_address(std::string_view address);

/// Returns two variants that lead to one destination.
json::array single_destination(std::string_view url);

/// Returns an integer when the text is one, and the text otherwise.
json::value integer_or_text(std::string_view text);

} // namespace turnout::transfer
