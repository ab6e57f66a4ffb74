#include "http/error_table.hpp"

#include <algorithm>
#include <iterator>

namespace turnout {

namespace {

constexpr auto unavailable_text
  = "Service temporarily unavailable. Please try again later.";

constexpr auto internal_text = "Internal server error";

constexpr auto no_session_text = "Missing or invalid session token.";

constexpr auto rate_limited_text
  = "Rate limit exceeded. Please try again later.";

constexpr auto headers_text
  = "Request headers are too large, the limit is 64 KiB";

constexpr error_row table[] = {
  {ec::bad_request, 400, nullptr, nullptr},
  {ec::unauthorized, 401, nullptr, nullptr},
  {ec::no_session, 401, nullptr, no_session_text},
  {ec::forbidden, 403, nullptr, nullptr},
  {ec::not_found, 404, nullptr, nullptr},
  {ec::method_not_allowed, 405, nullptr, nullptr},
  {ec::conflict, 409, nullptr, nullptr},
  {ec::in_progress, 409, "1", nullptr},
  {ec::too_large, 413, nullptr, nullptr},
  {ec::unsupported_type, 415, nullptr, nullptr},
  {ec::invalid, 422, nullptr, nullptr},
  {ec::rate_limited, 429, nullptr, rate_limited_text},
  {ec::headers_too_large, 431, nullptr, headers_text},
  {ec::unavailable, 503, "1", unavailable_text},
  // Another node changed the same link again and again.
  {ec::stale, 503, "1", unavailable_text},
  {ec::schema_too_new, 503, "1", unavailable_text},
  {ec::schema_too_old, 503, "1", unavailable_text},
  {ec::journal, 503, "1", unavailable_text},
  {ec::none, 500, nullptr, internal_text},
  {ec::internal, 500, nullptr, internal_text},
  {ec::plugin, 500, nullptr, internal_text},
  {ec::config, 500, nullptr, internal_text},
};

} // namespace

const error_row& row_of(ec code) noexcept {
  const auto i
    = std::find_if(std::begin(table), std::end(table),
                   [code](const error_row& x) { return x.code == code; });
  if (i != std::end(table))
    return *i;
  return row_of(ec::internal);
}

} // namespace turnout
