#pragma once

#include "core/privacy.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace turnout {

/// The methods that make a difference to us.
enum class http_method : uint8_t { get, head, post, put, del, options, other };

/// Returns the method's name on the wire; "OTHER" for `other`.
std::string_view to_string(http_method x) noexcept;

/// Bytes of target and headers (X-API-Key left out) that are accepted.
inline constexpr size_t max_header_bytes = 64 * 1024;

/// Bytes of a body that are accepted.
inline constexpr size_t max_body_bytes = 1024 * 1024;

/// A request as the handlers see it: views into the buffers of the connection,
/// valid as long as the exchange they belong to. Headers are sorted out once,
/// on arrival, without allocating.
struct request {
  request() = default;

  // The views may point into this object.
  request(const request&) = delete;
  request& operator=(const request&) = delete;

  http_method method = http_method::get;

  /// As sent, with the query.
  std::string_view target;

  /// Percent-encoded as sent; begins with a slash (but for "*").
  std::string_view path;

  /// Raw, without the question mark.
  std::string_view query;

  /// At most one byte more than `max_body_bytes`; a longer body is cut there.
  std::string_view body;

  /// The other end of the connection.
  ip_address peer;

  /// Index of the reactor that owns the connection.
  size_t reactor = 0;

  /// Requests under way on this reactor when this one arrived, itself included.
  size_t load = 1;

  // -- headers, empty when absent ---------------------------------------------
  std::string_view user_agent;
  std::string_view referer;
  std::string_view accept;
  std::string_view cookies;
  std::string_view content_type;
  std::string_view api_key;
  std::string_view idempotency_key;
  std::string_view if_none_match;
  std::string_view accept_encoding;
  std::string_view authorization;
  /// Value of X-Requested-With.
  std::string_view requested_with;
  /// What clients of the sign-in send as `apikey`.
  std::string_view client_key;
  std::string_view real_ip;
  std::string_view sec_purpose;
  std::string_view purpose;
  std::string_view x_moz;
  /// Value of the header that the setting `geo.country_header` names.
  std::string_view country;
  /// Values of X-Forwarded-For, in the order received.
  std::vector<std::string_view> forwarded_for;

  /// How often the header was sent.
  int api_keys = 0;
  int idempotency_keys = 0;
  int authorizations = 0;

  /// Bytes of target and headers, but for X-API-Key: a key of whatever length
  /// is a wrong key and gets the answer of one.
  size_t header_bytes = 0;

  /// Takes the target apart; accepts the absolute form too.
  void set_target(std::string_view x);

  /// Takes notice of a header.
  /// @param country_header name of the header with the visitor's country; may
  ///                       be empty.
  void add_header(std::string_view name, std::string_view value,
                  std::string_view country_header);

private:
  /// Holds the cookies when they came in more than one header.
  std::string x_joined_cookies;
};

} // namespace turnout
