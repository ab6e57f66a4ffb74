#pragma once

#include "http/request.hpp"
#include "http/response.hpp"

namespace turnout {

/// The answer to a short link that does not exist: a page for browsers, JSON
/// for everybody else.
response not_found_page(const request& in);

/// The answer of `GET /`: the way to the dashboard.
response to_dashboard();

/// The answer of `GET /robots.txt`.
response robots_page();

/// The answer to a method that a short link does not know.
response only_get_and_head();

} // namespace turnout
