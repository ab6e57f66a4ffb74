#include "http/auth.hpp"

#include "http/auth_handlers.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>

namespace turnout {

namespace {

struct auth_route {
  std::string_view path;
  http_method method;
  /// Whether it is part of the built-in sign-in.
  bool signs_in;
  void (*handle)(const api_call_ptr&);
};

constexpr auth_route table[] = {
  {"/auth/v1/token", http_method::post, true, grant_token},
  {"/auth/v1/user", http_method::get, false, get_user},
  {"/auth/v1/session", http_method::post, false, begin_session},
  {"/auth/v1/logout", http_method::post, false, end_session},
};

// X-Requested-With is not among the headers: the cookie of a session is of no
// use to pages of other origins.
response preflight(const auth_route& x) {
  response result{204};
  result.header("Access-Control-Allow-Methods", to_string(x.method))
    .header("Access-Control-Allow-Headers",
            "apikey, Authorization, Content-Type, X-Client-Info")
    .header("Access-Control-Max-Age", "600");
  return result;
}

response method_not_allowed(const auth_route& x) {
  auto result = sign_in_error_response(
    make_error(ec::method_not_allowed, "Method not allowed"));
  result.header("Allow", to_string(x.method));
  return result;
}

void handle(const api_call_ptr& call) {
  auto& where = call->where();
  const auto& in = call->in();
  call->rate = where.bad_keys.peek(where.rules().clients.address(in), now());
  if (in.load > where.rules().max_in_flight) {
    where.counters.refused_overload->Increment();
    return call->fail(ec::unavailable, "too many requests under way");
  }
  if (in.header_bytes > max_header_bytes)
    return call->fail(ec::headers_too_large, "headers too large");
  const auto* found
    = std::find_if(std::begin(table), std::end(table),
                   [&](const auth_route& x) { return x.path == in.path; });
  if (found == std::end(table) || (found->signs_in && !where.has_sign_in))
    return call->fail(ec::not_found, "Not found");
  call->route = found->path;
  if (in.method == http_method::options)
    return call->send(preflight(*found));
  if (in.method != found->method)
    return call->send(method_not_allowed(*found));
  found->handle(call);
}

} // namespace

response slowed_response(std::chrono::seconds wait) {
  auto result = sign_in_error_response(make_error(ec::rate_limited, "slowed"));
  result.header("Retry-After", std::to_string(wait.count()));
  return result;
}

void handle_auth(site& where, const exchange_ptr& x) {
  auto call = std::make_shared<api_call>(where, x, error_form::sign_in);
  call->guarded([&] { handle(call); });
}

} // namespace turnout
