#pragma once

#include "http/api_call.hpp"
#include "http/request.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace turnout {

/// What a caller has to show.
enum class credential : uint8_t {
  /// Nothing.
  none,
  /// An API key of either kind.
  key,
  /// A secret API key.
  secret_key,
  /// A session token.
  session,
};

/// An operation of the API.
struct operation {
  http_method method;
  credential needs;
  void (*handle)(const api_call_ptr&);
};

/// A path of the API, relative to base_url, with its operations.
struct route {
  /// One segment may be "{id}", which stands for any text without a slash.
  std::string_view path;
  std::span<const operation> operations;
};

/// What a path and method lead to.
struct route_match {
  /// nullptr when no route has the path.
  const route* where = nullptr;
  /// nullptr when the route does not have the method.
  const operation* what = nullptr;
  /// What stands for "{id}".
  std::string_view id;
};

/// Finds the route of a path.
/// @param path percent-encoded, relative to base_url.
route_match find_route(std::string_view path, http_method method) noexcept;

/// Returns all routes.
std::span<const route> all_routes() noexcept;

/// Returns the methods of a route, such as "GET, POST".
std::string methods_of(const route& x);

} // namespace turnout
