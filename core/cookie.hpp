#pragma once

#include "core/uuid.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace turnout {

/// What the sticky cookie of a link says of a returning visitor.
struct sticky_cookie {
  uuid variant_id;
  /// The visitor's newest click on the link.
  uuid click_id;
};

/// Returns the cookie's name, "svc_v_<link id>".
std::string sticky_cookie_name(const uuid& link_id);

/// Renders the value, "<variant id>.<click id>".
std::string to_cookie_value(const sticky_cookie& x);

/// Appends the value to a text.
void append_cookie_value(std::string& out, const sticky_cookie& x);

/// Finds and parses the sticky cookie of a link in a raw Cookie header;
/// nullopt when it is absent or malformed.
std::optional<sticky_cookie> find_sticky_cookie(std::string_view header,
                                                const uuid& link_id);

} // namespace turnout
