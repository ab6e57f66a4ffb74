#pragma once

#include "http/api_call.hpp"

namespace turnout {

// The operations below /auth/v1. Each is called after load and size of the
// request were checked; errors are written as OAuth 2 does.

/// `POST /auth/v1/token`, of the built-in sign-in. Those who fail are slowed by
/// address and by e-mail address.
void grant_token(const api_call_ptr& call);

/// `GET /auth/v1/user`.
void get_user(const api_call_ptr& call);

/// `POST /auth/v1/session`: gives the cookie of a session for a session token.
void begin_session(const api_call_ptr& call);

/// `POST /auth/v1/logout`: ends the session of the cookie.
void end_session(const api_call_ptr& call);

/// Makes the answer to somebody who has to wait.
response slowed_response(std::chrono::seconds wait);

} // namespace turnout
