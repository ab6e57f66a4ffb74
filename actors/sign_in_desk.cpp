#include "actors/sign_in_desk.hpp"

#include "actors/store_call.hpp"
#include "core/identifiers.hpp"
#include "identity/password.hpp"

#include <caf/stateful_actor.hpp>

#include <optional>
#include <utility>

namespace turnout {

namespace {

using desk_pointer = sign_in_desk_actor::stateful_pointer<sign_in_desk_state>;

/// What the desk works with.
struct desk_tools {
  store_pool_actor pool;
  token_issuer issuer;
};

caf::error refused(const char* why) {
  return make_error(ec::unauthorized, why);
}

/// Answers tokens; the refresh token is stored already.
void admit(const desk_tools& tools, const sign_in_call& call,
           const account& owner, const std::string& refresh_token,
           const uuid& family) {
  identity::session_claims claims;
  claims.subject = owner.id;
  claims.email = owner.email;
  auto token = identity::issue_token(
    claims, tools.issuer.secret, tools.issuer.rules, now(), session_lifetime);
  if (!token) {
    call.reply->deliver(std::move(token.error()));
    return;
  }
  sign_in_answer result;
  result.account_id = owner.id;
  result.email = owner.email;
  result.access_token = std::move(*token);
  result.lifetime = session_lifetime;
  result.refresh_token = refresh_token;
  result.family = family;
  call.reply->deliver(std::move(result));
}

void check_password(desk_pointer self, const desk_tools& tools,
                    const sign_in_call_ptr& call,
                    const std::optional<account>& found) {
  const auto has_password = found && !found->password_hash.empty();
  const auto& hash
    = has_password ? found->password_hash : self->state.dummy_hash;
  if (!identity::verify_password(hash, call->password) || !has_password) {
    call->reply->deliver(refused("Invalid login credentials"));
    return;
  }
  const auto text = identity::make_refresh_token();
  storage::refresh_token first;
  first.hash = sha256_hex(text);
  first.created_at = now();
  first.family = make_uuid(first.created_at);
  first.account_id = found->id;
  first.expires_at = first.created_at + refresh_lifetime;
  store_call<void>(
    self, tools.pool, "add_refresh_token",
    [first](storage::backend& db) {
      return to_expected(db.add_refresh_token(first));
    },
    [=, owner = *found](caf::expected<void>& result) {
      if (result)
        admit(tools, *call, owner, text, first.family);
      else
        call->reply->deliver(result.error());
    });
}

void sign_in(desk_pointer self, const desk_tools& tools,
             const sign_in_call_ptr& call) {
  store_call<std::optional<account>>(
    self, tools.pool, "find_account",
    [call](storage::backend& db) { return db.find_account(call->email); },
    [=](caf::expected<std::optional<account>>& found) {
      if (found)
        check_password(self, tools, call, *found);
      else
        call->reply->deliver(found.error());
    });
}

void refresh(desk_pointer self, const desk_tools& tools,
             const sign_in_call_ptr& call) {
  const auto text = identity::make_refresh_token();
  store_call<storage::rotation>(
    self, tools.pool, "rotate_refresh_token",
    [=](storage::backend& db) {
      const auto at = now();
      return db.rotate_refresh_token(sha256_hex(call->refresh_token),
                                     sha256_hex(text), at,
                                     at + refresh_lifetime);
    },
    [=](caf::expected<storage::rotation>& result) {
      if (!result)
        call->reply->deliver(result.error());
      else if (result->what == storage::rotation::outcome::rotated)
        admit(tools, *call, result->owner, text, result->family);
      else
        call->reply->deliver(refused("Invalid refresh token"));
    });
}

} // namespace

sign_in_desk_actor::behavior_type sign_in_desk(desk_pointer self,
                                               const store_pool_actor& pool,
                                               const token_issuer& issuer) {
  const desk_tools tools{pool, issuer};
  self->state.dummy_hash
    = identity::hash_password(identity::make_refresh_token());
  return {
    [=](const sign_in_call_ptr& call) {
      if (call->refresh_token.empty())
        sign_in(self, tools, call);
      else
        refresh(self, tools, call);
    },
  };
}

} // namespace turnout
