#pragma once

#include "core/error.hpp"
#include "core/uuid.hpp"
#include "http/request.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace turnout {

namespace json = boost::json;

/// Parses JSON strictly: no duplicate keys, valid UTF-8, at most 32 levels.
/// Fails with `ec::invalid` "Invalid JSON in request body".
caf::expected<json::value> parse_json(std::string_view text);

/// Returns the JSON body of a request, or why it cannot be had: too large, of a
/// form's type, or not JSON.
caf::expected<json::value> read_json(const request& in);

/// Returns a text that is the same for bodies that are equal as JSON, whatever
/// the order of their members.
std::string canonical_json(const json::value& x);

// -- reading members ----------------------------------------------------------

/// Returns the body as an object, or the broken rule.
caf::expected<const json::object*> as_object(const json::value& x,
                                             std::string_view path);

/// Returns a member; nullptr when it is absent.
const json::value* find_member(const json::object& x, std::string_view name);

/// Fails with "field required: <path><name>" when a member is absent.
caf::error require(const json::object& x, std::string_view name,
                   std::string_view path = "");

// Each fails with "<path> must be ..." for a value of another type.

caf::expected<std::string_view> as_string(const json::value& x,
                                          std::string_view path);

caf::expected<bool> as_bool(const json::value& x, std::string_view path);

/// Numbers beyond 64 bits come back as the greatest one.
caf::expected<int64_t> as_integer(const json::value& x, std::string_view path);

caf::expected<uuid> as_uuid(const json::value& x, std::string_view path);

/// Returns "<path> must be <what>" as `ec::invalid`.
caf::error must_be(std::string_view path, std::string_view what);

/// Returns a JSON string, or null for an empty text.
json::value text_or_null(std::string_view text);

/// Returns a JSON string.
json::string to_json_string(std::string_view text);

} // namespace turnout
