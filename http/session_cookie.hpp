#pragma once

#include "actors/service.hpp"
#include "http/request.hpp"
#include "http/site.hpp"

#include <string>
#include <string_view>

namespace turnout {

/// Returns the value of the cookie that speaks for the owner of a session;
/// empty when there is none, or when the request may be a forged one: pages of
/// other sites cannot send `X-Requested-With: turnout`. An API key or session
/// token that is sent along, however wrong, is preferred.
std::string_view session_cookie(const site& where, const request& in) noexcept;

/// Returns the session token of an Authorization header; empty when there is
/// none, or more than one.
std::string_view session_token(const request& in) noexcept;

/// Returns the value of a Set-Cookie header that begins a session.
std::string begin_session_cookie(const site& where, const begun_session& x);

/// Returns the value of a Set-Cookie header that ends it.
std::string end_session_cookie(const site& where);

} // namespace turnout
