#pragma once

#include "core/event.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace turnout {

/// Returns `text` without invalid UTF-8 and control characters, at most
/// `max_bytes` long, cut between characters.
std::string clean_text(std::string_view text, size_t max_bytes);

/// Returns the referrer to store: cleaned, at most 2048 bytes; empty when it is
/// not an http, https or android-app URL with a host, or on our own host.
/// @param own_host lower-case host of short_base.
std::string clean_referrer(std::string_view referrer,
                           std::string_view own_host);

/// Returns the value that a stored referrer has in a breakdown: the host in
/// lower case without "www." and port, or the package of an app; "unknown" for
/// an empty one.
std::string referrer_class(std::string_view referrer);

/// Browser, device and system of a user agent; "unknown" where not known.
struct agent_class {
  std::string browser;
  std::string device;
  std::string system;
};

/// Classifies a user agent by the expressions of uap-core. Slow (about a
/// hundred microseconds when not seen lately): for batches, not for visits.
/// `device` is "desktop", "mobile", "tablet", "tv", "console", "wearable",
/// "bot" or "unknown".
agent_class classify_agent(std::string_view user_agent);

/// The headers that tell a prefetch; empty when absent.
struct purpose_headers {
  std::string_view sec_purpose;
  std::string_view purpose;
  std::string_view x_moz;
};

/// Returns whether a request is a prefetch or prerender.
bool is_prefetch(const purpose_headers& x) noexcept;

/// Returns `exclusion::preview` for link previews and `exclusion::crawler` for
/// other named crawlers of the list of the npm package crawler-user-agents;
/// nullopt for browsers, HTTP libraries and empty user agents.
std::optional<exclusion> classify_bot(std::string_view user_agent) noexcept;

} // namespace turnout
