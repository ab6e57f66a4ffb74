#include "core/ascii.hpp"
#include "core/identifiers.hpp"
#include "http/auth_handlers.hpp"
#include "http/codec/json.hpp"
#include "http/codec/query.hpp"
#include "http/session_cookie.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace turnout {

namespace {

/// Longer ones are not worth hashing.
constexpr size_t max_password_bytes = 4096;

/// An attempt to sign in under the eyes of the limiters. When it goes without
/// a verdict, nobody is blamed.
class attempt {
public:
  /// @param email empty for none.
  attempt(site& where, std::string address, std::string email)
    : x_site{where}, x_address{std::move(address)}, x_email{std::move(email)} {
    // nop
  }

  attempt(const attempt&) = delete;
  attempt& operator=(const attempt&) = delete;

  ~attempt() {
    if (x_has_address)
      x_site.attempts_by_address.end(x_address);
    if (x_has_email)
      x_site.attempts_by_email.end(x_email);
  }

  /// Returns how long to wait; 0 to go on.
  std::chrono::seconds begin(timestamp at) {
    auto wait = x_site.attempts_by_address.begin(x_address, at);
    if (wait.count() > 0)
      return wait;
    x_has_address = true;
    if (x_email.empty())
      return wait;
    wait = x_site.attempts_by_email.begin(x_email, at);
    x_has_email = wait.count() == 0;
    return wait;
  }

  void fail(timestamp at) {
    if (std::exchange(x_has_address, false))
      x_site.attempts_by_address.fail(x_address, at);
    if (std::exchange(x_has_email, false))
      x_site.attempts_by_email.fail(x_email, at);
  }

  void succeed() {
    // The address is not forgiven: with an account of their own somebody could
    // go on guessing those of others.
    if (std::exchange(x_has_email, false))
      x_site.attempts_by_email.succeed(x_email);
  }

private:
  site& x_site;
  std::string x_address;
  std::string x_email;
  bool x_has_address = false;
  bool x_has_email = false;
};

using attempt_ptr = std::shared_ptr<attempt>;

/// Of an IPv6 address one client may use every address of its /64.
std::string address_key(const ip_address& x) {
  const auto n = x.is_v4 ? 4u : 8u;
  return {reinterpret_cast<const char*>(x.bytes.data()), n};
}

/// What stands for an e-mail address in memory: of one length, and no address.
std::string email_key(std::string_view email) {
  return sha256_hex(lowered(email));
}

bool is_right_client(const site& where, const request& in) {
  if (where.anon_key_hash.empty())
    return true;
  // Comparing hashes tells nothing of how much was right.
  return sha256_hex(in.client_key) == where.anon_key_hash;
}

caf::expected<std::string> read_text(const json::object& body,
                                     std::string_view name) {
  auto text
    = as_string(body.at(json::string_view{name.data(), name.size()}), name);
  if (!text)
    return std::move(text.error());
  if (text->empty())
    return must_be(name, "a string that is not empty");
  return std::string{*text};
}

response tokens(const sign_in_answer& x) {
  auto result = json_response(
    200, json::serialize(json::object{
           {"access_token", x.access_token},
           {"token_type", "bearer"},
           {"expires_in", x.lifetime.count()},
           {"refresh_token", x.refresh_token},
           {"user", json::object{{"id", x.account_id.str()},
                                 {"email", to_json_string(x.email)}}}}));
  result.header("Cache-Control", "no-store");
  return result;
}

/// Answers tokens and the cookie of a session.
void send_with_cookie(api_call& call, const sign_in_answer& x) {
  session owner;
  owner.who.account_id = x.account_id;
  owner.email = x.email;
  call.where().actors.begin_web_session(
    owner, x.family,
    call.receive_value<begun_session>(
      [answer = tokens(x)](api_call& call, const begun_session& begun) {
        auto with_cookie = answer;
        with_cookie.header("Set-Cookie",
                           begin_session_cookie(call.where(), begun));
        call.send(std::move(with_cookie));
      }));
}

/// Makes the port for what the sign-in says.
reply_ptr<sign_in_answer> receive(api_call& call, attempt_ptr who,
                                  bool with_cookie) {
  return call.receive<sign_in_answer>(
    [who = std::move(who), with_cookie](api_call& call,
                                        caf::expected<sign_in_answer> result) {
      auto& counters = call.where().counters;
      if (result) {
        who->succeed();
        counters.sign_ins_ok->Increment();
        return with_cookie ? send_with_cookie(call, *result)
                           : call.send(tokens(*result));
      }
      if (code_of(result.error()) == ec::unauthorized) {
        who->fail(now());
        counters.sign_ins_failed->Increment();
      }
      call.fail(result.error());
    });
}

/// Lets an attempt begin, or answers that it must wait.
attempt_ptr begin(api_call& call, std::string email) {
  auto& where = call.where();
  auto result = std::make_shared<attempt>(
    where, address_key(where.rules().clients.address(call.in())),
    std::move(email));
  const auto wait = result->begin(now());
  if (wait.count() == 0)
    return result;
  where.counters.sign_ins_slowed->Increment();
  call.send(slowed_response(wait));
  return nullptr;
}

void sign_in(api_call& call, const json::object& body, bool with_cookie) {
  for (auto name : {"email", "password"})
    if (auto err = require(body, name))
      return call.fail(err);
  auto email = read_text(body, "email");
  if (!email)
    return call.fail(email.error());
  auto password = read_text(body, "password");
  if (!password)
    return call.fail(password.error());
  if (password->size() > max_password_bytes)
    return call.fail(ec::invalid, "password must be at most "
                                    + std::to_string(max_password_bytes)
                                    + " bytes");
  if (auto who = begin(call, email_key(*email)))
    call.where().actors.sign_in(std::move(*email), std::move(*password),
                                receive(call, std::move(who), with_cookie));
}

void refresh(api_call& call, const json::object& body, bool with_cookie) {
  if (auto err = require(body, "refresh_token"))
    return call.fail(err);
  auto token = read_text(body, "refresh_token");
  if (!token)
    return call.fail(token.error());
  if (auto who = begin(call, {}))
    call.where().actors.refresh_session(
      std::move(*token), receive(call, std::move(who), with_cookie));
}

/// Reads whether a cookie is asked for.
caf::expected<bool> wants_cookie(const request& in) {
  auto text = query_params{in.query}.get("cookie");
  if (!text)
    return std::move(text.error());
  if (*text && **text != "true" && **text != "false")
    return must_be("cookie", "\"true\" or \"false\"");
  // A form of another site, which could have the visitor signed in with an
  // account that is not theirs, cannot say that it is JSON.
  if (*text == "true" && starts_with_folded(in.content_type, "text/plain"))
    return make_error(ec::unsupported_type,
                      "Content-Type must be application/json");
  return *text == "true";
}

} // namespace

void grant_token(const api_call_ptr& call) {
  const auto& in = call->in();
  if (!is_right_client(call->where(), in))
    return call->fail(ec::forbidden, "Invalid API key.");
  auto grant = query_params{in.query}.get("grant_type");
  if (!grant)
    return call->fail(grant.error());
  const auto kind = grant->value_or("");
  if (kind != "password" && kind != "refresh_token")
    return call->fail(ec::bad_request,
                      "grant_type must be \"password\" or \"refresh_token\"");
  const auto with_cookie = wants_cookie(in);
  if (!with_cookie)
    return call->fail(with_cookie.error());
  auto body = read_json(in);
  if (!body)
    return call->fail(body.error());
  auto fields = as_object(*body, "request body");
  if (!fields)
    return call->fail(fields.error());
  if (kind == "password")
    sign_in(*call, **fields, *with_cookie);
  else
    refresh(*call, **fields, *with_cookie);
}

} // namespace turnout
