#pragma once

#include "core/error.hpp"
#include "core/model.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace turnout {

// The rules of links and variants. Each check returns an `ec::invalid` error
// with the text that the client gets to see, or no error.

/// Addresses of our own that destinations must not point at.
struct own_hosts {
  /// Lower-case hosts without a dot at the end; empty allows every host.
  std::vector<std::string> names;
};

/// Returns the host of the short links, given their address, such as
/// "https://go.example"; none for an empty address.
own_hosts host_of_short_links(std::string_view short_base);

/// Returns `name` without the white space around it, or the broken rule:
/// 1-100 code points, valid UTF-8, no control characters.
caf::expected<std::string> check_name(std::string_view name);

/// Checks [A-Za-z0-9_-]{3,32} and the reserved words.
caf::error check_slug(std::string_view slug);

/// Returns whether the public listener serves the word itself; ASCII case does
/// not matter.
bool is_reserved_slug(std::string_view slug) noexcept;

/// Checks a label: 1-50 code points, valid UTF-8, no control characters.
/// @param path where it stands in the body, such as "variants[0].label".
caf::error check_label(std::string_view label, std::string_view path);

/// Checks an absolute http or https URL with a host: 1-2048 bytes, printable
/// ASCII without spaces, no userinfo, a valid port, not on our own host.
caf::error check_destination(std::string_view url, const own_hosts& own,
                             std::string_view path);

/// Checks 0-100.
caf::error check_weight(int64_t weight, std::string_view path);

/// Checks 2-5 variants.
caf::error check_variant_count(size_t n);

/// Checks that labels are unique and weights sum to 100, in this order.
caf::error check_variant_set(const std::vector<variant>& variants);

/// Checks country codes, the default, and that each label is one of the
/// variants that are not retired.
caf::error check_geo_rules(const geo_rules& rules,
                           const std::vector<variant>& variants);

/// Checks that a link with `routing_type` geo has `geo_rules`.
caf::error check_routing(routing_type routing, bool has_geo_rules);

/// Checks at least 10 (and at most 1,000,000,000).
caf::error check_threshold(int64_t threshold);

/// Checks that an account with `owned` links may have one more.
/// @param per_account the setting `links.per_account`; 0 means no limit.
caf::error check_link_count(int64_t owned, int per_account);

/// Returns whether `code` is an upper-case ISO 3166-1 alpha-2 code.
bool is_country_code(std::string_view code) noexcept;

} // namespace turnout
