#pragma once

#include "http/api_call.hpp"
#include "http/request.hpp"

#include <span>
#include <string>
#include <string_view>

namespace turnout {

/// An operation of the API.
struct operation {
  http_method method;
  /// Whether it takes a secret key.
  bool needs_secret;
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

/// Returns the methods of a route, such as "GET, POST".
std::string methods_of(const route& x);

} // namespace turnout
