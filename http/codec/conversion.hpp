#pragma once

#include "core/event.hpp"
#include "http/codec/json.hpp"

#include <string_view>

namespace turnout {

/// Returns whether `text` may be an event id: 1-255 characters of valid UTF-8
/// without control characters.
bool is_event_id(std::string_view text) noexcept;

/// Returns whether `text` is a decimal number of at least 0, with at most 18
/// digits before and 9 after the point.
bool is_amount(std::string_view text) noexcept;

/// Returns whether `text` is an upper-case ISO 4217 code.
bool is_currency(std::string_view text) noexcept;

/// Reads the body of the server's conversion call.
caf::expected<conversion_request> read_conversion(const json::value& body,
                                                  timestamp now);

/// Returns a conversion as the API shows it.
json::object to_json(const conversion& x);

} // namespace turnout
