#include "http/api.hpp"

#include "http/api_call.hpp"
#include "http/routes.hpp"
#include "http/session_cookie.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace turnout {

namespace {

/// No key is as long; spares hashing what cannot be one.
constexpr size_t max_key_length = 128;

/// Finds out whom the key speaks for.
caf::expected<principal> authenticate(site& where, const request& in) {
  if (in.api_keys == 0 || (in.api_keys == 1 && in.api_key.empty()))
    return make_error(ec::unauthorized,
                      "Missing API key. Include X-API-Key header.");
  if (in.api_keys == 1 && in.api_key.size() <= max_key_length)
    if (auto who = where.actors.authenticate(in.api_key))
      return *who;
  return make_error(ec::unauthorized, "Invalid API key.");
}

response too_many_requests(const rate_status& rate) {
  const auto left
    = std::chrono::ceil<std::chrono::seconds>(rate.reset_at - now());
  auto result
    = error_response(make_error(ec::rate_limited, "too many requests"));
  result.header("Retry-After",
                std::to_string(std::max<int64_t>(1, left.count())));
  return result;
}

/// The numbers for an account while the rate limiter cannot be asked.
rate_status unknown_rate(const principal& who) {
  rate_status result;
  result.limit = who.rate_limit;
  result.remaining = who.rate_limit;
  result.reset_at
    = std::chrono::floor<std::chrono::hours>(now()) + std::chrono::hours{1};
  return result;
}

response preflight(const route& where) {
  response result{204};
  result.header("Access-Control-Allow-Methods", methods_of(where))
    .header("Access-Control-Allow-Headers",
            "X-API-Key, Authorization, Content-Type, Idempotency-Key")
    .header("Access-Control-Max-Age", "600");
  return result;
}

/// What is wrong with path or method, whoever asks.
std::optional<response> refuse_path(const route_match& match) {
  if (!match.where)
    return detail_response(404, "Not found");
  if (!match.what) {
    auto result = detail_response(405, "Method not allowed");
    result.header("Allow", methods_of(*match.where));
    return result;
  }
  return std::nullopt;
}

/// What the owner of a valid key may not do.
std::optional<response> refuse_kind(const principal& who,
                                    const operation& what) {
  if (what.needs == credential::secret_key && who.type == key_type::publishable)
    return detail_response(403, "This operation requires a secret API key.");
  if (!who.api_access)
    return detail_response(403, "API access is not enabled for this account.");
  return std::nullopt;
}

/// Answers a request without a valid key or session token.
void handle_without_key(api_call& call, const caf::error& err,
                        std::optional<response> refusal) {
  auto& where = call.where();
  call.rate
    = where.bad_keys.count(where.rules().clients.address(call.in()), now());
  if (refusal)
    return call.send(std::move(*refusal));
  if (!call.rate.allowed) {
    where.counters.rate_limited_address->Increment();
    return call.send(too_many_requests(call.rate));
  }
  call.fail(err);
}

void handle_with_key(const api_call_ptr& call, const route_match& match,
                     std::optional<response> refusal) {
  if (!refusal)
    refusal = refuse_kind(call->who, *match.what);
  // Counted whatever the answer will be.
  auto port = call->receive<rate_status>(
    [refusal = std::move(refusal),
     what = match.what](api_call& call, caf::expected<rate_status> rate) {
      call.rate = rate ? *rate : unknown_rate(call.who);
      if (refusal)
        return call.send(*refusal);
      if (!rate)
        return call.fail(rate.error());
      if (!rate->is_known)
        return call.fail(ec::unavailable, "rate limit not known");
      if (!rate->allowed) {
        call.where().counters.rate_limited_account->Increment();
        return call.send(too_many_requests(*rate));
      }
      what->handle(call.shared_from_this());
    });
  call->where().actors.admit(call->who, std::move(port));
}

/// Runs an operation that is not counted; its answer has the numbers of the
/// account.
void handle_uncounted(const api_call_ptr& call, const operation& what) {
  call->rate = unknown_rate(call->who);
  auto port = call->receive<rate_status>(
    [&what](api_call& call, caf::expected<rate_status> rate) {
      if (!rate)
        return call.fail(rate.error());
      call.rate = *rate;
      if (!rate->is_known)
        return call.fail(ec::unavailable, "rate limit not known");
      what.handle(call.shared_from_this());
    });
  call->where().actors.rate(call->who.account_id, call->who.rate_limit,
                            std::move(port));
}

/// Makes the port for whom a session token or cookie speaks for.
reply_ptr<session> receive_session(const api_call_ptr& call,
                                   const route_match& match) {
  return call->receive<session>(
    [match](api_call& call, caf::expected<session> owner) {
      if (!owner)
        return handle_without_key(call, owner.error(), std::nullopt);
      call.who = owner->who;
      call.email = std::move(owner->email);
      const auto self = call.shared_from_this();
      if (match.what->needs == credential::session)
        return handle_uncounted(self, *match.what);
      // Counts as the secret key; but a page that looks every few seconds must
      // not use up what the account's programs may ask.
      if (match.what->method != http_method::get)
        return handle_with_key(self, match, std::nullopt);
      if (auto refusal = refuse_kind(call.who, *match.what))
        return call.send(std::move(*refusal));
      handle_uncounted(self, *match.what);
    });
}

void handle_with_session(const api_call_ptr& call, const route_match& match) {
  const auto token = session_token(call->in());
  if (token.empty())
    return handle_without_key(
      *call, make_error(ec::no_session, "no session token"), std::nullopt);
  // Who sent too much that was invalid makes nobody ask for new keys.
  call->where().actors.open_session(std::string{token}, call->rate.allowed,
                                    receive_session(call, match));
}

void handle(const api_call_ptr& call) {
  auto& where = call->where();
  const auto& in = call->in();
  // Stands until it is known whose numbers are right.
  call->rate = where.bad_keys.peek(where.rules().clients.address(in), now());
  // What lies under /api but not under our version is no route.
  const auto match = find_route(in.path.starts_with(where.api_prefix)
                                  ? in.path.substr(where.api_prefix.size())
                                  : std::string_view{},
                                in.method);
  if (match.where) {
    call->route = match.where->path;
    call->id_text = match.id;
  }
  if (in.load > where.rules().max_in_flight) {
    where.counters.refused_overload->Increment();
    return call->fail(ec::unavailable, "too many requests under way");
  }
  // Refused whoever asks, yet counted for the key that came along.
  std::optional<response> refusal;
  if (in.header_bytes > max_header_bytes)
    refusal
      = error_response(make_error(ec::headers_too_large, "headers too large"));
  else if (in.method == http_method::options && match.where)
    return call->send(preflight(*match.where));
  else
    refusal = refuse_path(match);
  if (!refusal && match.what->needs == credential::none)
    return match.what->handle(call);
  if (const auto cookie = session_cookie(where, in);
      !refusal && !cookie.empty())
    return where.actors.open_web_session(
      std::string{cookie}, call->rate.allowed, receive_session(call, match));
  if (!refusal && match.what->needs == credential::session)
    return handle_with_session(call, match);
  auto who = authenticate(where, in);
  if (!who)
    return handle_without_key(*call, who.error(), std::move(refusal));
  call->who = *who;
  handle_with_key(call, match, std::move(refusal));
}

} // namespace

void handle_api(site& where, const exchange_ptr& x) {
  auto call = std::make_shared<api_call>(where, x);
  call->guarded([&] { handle(call); });
}

} // namespace turnout
