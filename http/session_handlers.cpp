#include "http/auth_handlers.hpp"
#include "http/codec/json.hpp"
#include "http/session_cookie.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace turnout {

namespace {

json::object user_object(const uuid& id, std::string_view email) {
  return {{"id", id.str()}, {"email", text_or_null(email)}};
}

/// Answers a request whose session is missing or invalid.
void refuse(api_call& call, const caf::error& err) {
  auto& where = call.where();
  if (code_of(err) != ec::no_session)
    return call.fail(err);
  call.rate
    = where.bad_keys.count(where.rules().clients.address(call.in()), now());
  if (call.rate.allowed)
    return call.fail(err);
  where.counters.rate_limited_address->Increment();
  call.send(slowed_response(std::max(
    std::chrono::seconds{1},
    std::chrono::ceil<std::chrono::seconds>(call.rate.reset_at - now()))));
}

/// Makes the answer to somebody whom the identity provider grants nothing. Of
/// the sign-in's errors, this one would be that of the client.
response access_denied(const caf::error& err) {
  return json_response(
    403, json::serialize(json::object{{"error", "access_denied"},
                                      {"error_description", detail(err)},
                                      {"detail", detail(err)}}));
}

void refuse_without_session(api_call& call) {
  refuse(call, make_error(ec::no_session, "no session"));
}

} // namespace

void get_user(const api_call_ptr& call) {
  auto& where = call->where();
  auto port = call->receive<session>(
    [](api_call& call, caf::expected<session> owner) {
      if (!owner)
        return refuse(call, owner.error());
      auto answer = json_response(
        200, json::serialize(user_object(owner->who.account_id, owner->email)));
      answer.header("Cache-Control", "no-store");
      call.send(std::move(answer));
    });
  const auto may_wait = call->rate.allowed;
  if (const auto cookie = session_cookie(where, call->in()); !cookie.empty())
    where.actors.open_web_session(std::string{cookie}, may_wait,
                                  std::move(port));
  else if (const auto token = session_token(call->in()); !token.empty())
    where.actors.open_session(std::string{token}, may_wait, std::move(port));
  else
    port->deliver(make_error(ec::no_session, "no session"));
}

void begin_session(const api_call_ptr& call) {
  auto& where = call->where();
  const auto token = session_token(call->in());
  if (token.empty())
    return refuse_without_session(*call);
  auto with_session = [](api_call& call, caf::expected<session> owner) {
    if (!owner)
      return refuse(call, owner.error());
    auto user = user_object(owner->who.account_id, owner->email);
    call.where().actors.begin_web_session(
      *owner, {},
      call.receive<begun_session>(
        [user = std::move(user)](api_call& call,
                                 caf::expected<begun_session> begun) {
          if (!begun)
            return code_of(begun.error()) == ec::forbidden
                     ? call.send(access_denied(begun.error()))
                     : refuse(call, begun.error());
          auto answer
            = json_response(200, json::serialize(json::object{{"user", user}}));
          answer.header("Cache-Control", "no-store")
            .header("Set-Cookie", begin_session_cookie(call.where(), *begun));
          call.send(std::move(answer));
        }));
  };
  where.actors.open_session(std::string{token}, call->rate.allowed,
                            call->receive<session>(std::move(with_session)));
}

void end_session(const api_call_ptr& call) {
  auto& where = call->where();
  const auto cookie = session_cookie(where, call->in());
  if (cookie.empty())
    return refuse_without_session(*call);
  // Who has signed out already is signed out.
  where.actors.end_web_session(
    std::string{cookie}, call->receive_value<bool>([](api_call& call, bool) {
      response answer{204};
      answer.header("Cache-Control", "no-store")
        .header("Set-Cookie", end_session_cookie(call.where()));
      call.send(std::move(answer));
    }));
}

} // namespace turnout
