#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnout::config {

/// An address to listen on.
struct endpoint {
  /// An IPv4 or IPv6 address without brackets.
  std::string host;
  /// 0 lets the system choose.
  uint16_t port = 0;

  friend bool operator==(const endpoint&, const endpoint&) = default;
};

/// Parses "127.0.0.1:8080", "[::1]:8080" or "localhost:8080" (127.0.0.1).
std::optional<endpoint> parse_endpoint(std::string_view text);

/// Returns whether `text` is "http://host…" or "https://host…" without user,
/// query, fragment, spaces and a slash at the end.
bool is_base_address(std::string_view text) noexcept;

/// Returns whether `text` is empty or a base address that ends in /api/v1.
bool is_base_url(std::string_view text) noexcept;

/// Returns whether `text` is empty or a base address.
bool is_short_base(std::string_view text) noexcept;

/// Returns whether `text` is "*" or a base address without a path.
bool is_cors_origin(std::string_view text) noexcept;

/// Returns whether `text` is empty or "http://host…" or "https://host…" with
/// any path and query.
bool is_web_address(std::string_view text) noexcept;

/// Returns whether `text` is empty or the name of an HTTP header.
bool is_header_name(std::string_view text) noexcept;

/// Returns whether `text` is empty or at most 64 characters that need no
/// escape in a query.
bool is_query_name(std::string_view text) noexcept;

/// Returns whether `text` is a name of a plugin: it becomes part of a file
/// name.
bool is_plugin_name(std::string_view text) noexcept;

} // namespace turnout::config
