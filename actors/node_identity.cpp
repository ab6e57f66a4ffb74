// The part of the node that is about keys, sessions and signing in.

#include "actors/jwks_keeper.hpp"
#include "actors/node.hpp"
#include "core/identifiers.hpp"
#include "identity/fetch.hpp"
#include "identity/secret_file.hpp"
#include "monitoring/log.hpp"

#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <utility>

namespace turnout {

namespace {

/// Makes what a `key_call` is done with: the value, or why it was not stored.
template <class T>
auto answer_with(reply_ptr<T> reply, T value) {
  return [reply = std::move(reply), value = std::move(value)](caf::error err) {
    if (err)
      reply->deliver(std::move(err));
    else
      reply->deliver(value);
  };
}

/// What the built-in sign-in's tokens say of their issuer unless the settings
/// name one.
constexpr auto own_issuer = "turnout";

/// An HS256 secret should not be shorter.
constexpr size_t good_secret_length = 32;

caf::error no_session() {
  return make_error(ec::no_session, "Missing or invalid session token.");
}

/// Adds the account of an external user, if it is not there.
caf::error ensure_account(storage::backend& db, account owner) {
  auto err = db.add_account(owner);
  if (code_of(err) != ec::conflict)
    return err;
  // Known, or somebody else has the e-mail address, which decides nothing.
  owner.email.clear();
  err = db.add_account(owner);
  return code_of(err) == ec::conflict ? caf::none : err;
}

/// Fails with `ec::no_session` unless there is an account.
caf::error require_account(storage::backend& db, const uuid& id) {
  const auto accounts = db.list_accounts();
  if (!accounts)
    return accounts.error();
  if (std::none_of(accounts->begin(), accounts->end(),
                   [&](const account& x) { return x.id == id; }))
    return no_session();
  return caf::none;
}

} // namespace

caf::error node::prepare_sessions() {
  const auto& auth = x_options.auth;
  auto& rules = x_issuer.rules;
  rules.issuer = auth.issuer;
  rules.audience = auth.audience;
  auto keys = caf::expected{identity::key_set::not_fetched()};
  if (!auth.is_external()) {
    if (rules.issuer.empty())
      rules.issuer = own_issuer;
    auto secret
      = identity::load_or_make_secret(x_options.data_dir / "session_secret");
    if (!secret)
      return std::move(secret.error());
    x_issuer.secret = std::move(*secret);
    keys = identity::key_set::from_secret(x_issuer.secret);
  } else {
    rules.required_claim = auth.required_claim;
    if (!auth.jwt_secret.empty()) {
      if (auth.jwt_secret.size() < good_secret_length)
        log::warning("auth.jwt_secret is short enough to be guessed; use 32 "
                     "characters or more");
      keys = identity::key_set::from_secret(auth.jwt_secret);
    }
  }
  if (!keys)
    return std::move(keys.error());
  x_verifier
    = std::make_unique<identity::session_verifier>(rules, std::move(*keys));
  return caf::none;
}

void node::spawn_identity(
  const std::function<void(std::string, std::function<caf::actor()>)>& add) {
  const auto& auth = x_options.auth;
  if (!auth.is_external()) {
    add("sign_in_desk", [this] {
      return x_sign_in_desk.set(
        x_system->spawn<caf::detached>(sign_in_desk, x_pool, x_issuer));
    });
    return;
  }
  if (auth.jwks_url.empty())
    return;
  jwks_tools tools;
  tools.fetch
    = [this] { return identity::fetch(x_options.auth.jwks_url, x_stopping); };
  tools.open = [this](const identity::session_claims& claims) {
    return session_of(claims);
  };
  tools.verifier = x_verifier.get();
  tools.counters = &x_counters;
  tools.refresh_interval = std::chrono::seconds{auth.jwks_refresh_seconds};
  add("jwks_keeper", [this, tools] {
    return x_jwks_keeper.set(
      x_system->spawn<caf::detached>(jwks_keeper, tools));
  });
}

session node::session_of(const identity::session_claims& claims) const {
  session result;
  if (auto known = x_keys.find_account(claims.subject)) {
    result.who = *known;
  } else {
    // An external user without keys yet, or one that was just added.
    result.who.account_id = claims.subject;
    result.who.rate_limit = x_keys.default_limit();
  }
  result.who.api_access = result.who.api_access && claims.api_access;
  result.email = claims.email;
  result.expires_at = claims.expires_at;
  return result;
}

std::function<caf::error(storage::backend&)>
node::account_maker(const session& owner, timestamp at) const {
  if (x_keys.find_account(owner.who.account_id))
    return [](storage::backend&) { return caf::error{}; };
  account maker;
  maker.id = owner.who.account_id;
  maker.email = owner.email;
  maker.created_at = at;
  if (x_options.auth.is_external())
    return [maker](storage::backend& db) { return ensure_account(db, maker); };
  return
    [maker](storage::backend& db) { return require_account(db, maker.id); };
}

void node::open_session(std::string token, bool may_wait,
                        reply_ptr<session> reply) {
  using kind = identity::token_verdict::kind;
  const auto verdict = x_verifier->check(token, now());
  if (verdict.what == kind::valid)
    reply->deliver(session_of(verdict.claims));
  else if (verdict.what == kind::unknown_key && may_wait)
    caf::anon_send(x_jwks_keeper.get(),
                   std::make_shared<session_call>(
                     session_call{std::move(token), std::move(reply)}));
  else
    reply->deliver(no_session());
}

void node::begin_web_session(const session& owner, const uuid& family,
                             reply_ptr<begun_session> reply) {
  // What the provider's token did not grant no session grants.
  if (x_options.auth.is_external() && !owner.who.api_access)
    return reply->deliver(
      make_error(ec::forbidden, "API access is not enabled for this account."));
  begun_session result;
  result.text = identity::make_refresh_token();
  storage::web_session begun;
  begun.hash = sha256_hex(result.text);
  begun.family = family;
  begun.account_id = owner.who.account_id;
  begun.email = owner.email;
  begun.created_at = now();
  begun.expires_at = begun.created_at + web_session_lifetime;
  // The sign-in that an external provider granted is not made longer.
  if (x_options.auth.is_external())
    begun.expires_at = std::min(begun.expires_at, owner.expires_at);
  result.lifetime = std::chrono::floor<std::chrono::seconds>(
    begun.expires_at - begun.created_at);
  if (result.lifetime.count() <= 0)
    return reply->deliver(no_session());
  principal stranger;
  stranger.account_id = begun.account_id;
  stranger.rate_limit = x_keys.default_limit();
  const auto who = x_keys.find_account(begun.account_id).value_or(stranger);
  auto call = std::make_shared<key_call>();
  call->name = "add_web_session";
  call->store = [begun, make_account = account_maker(owner, begun.created_at)](
                  storage::backend& db) {
    if (auto err = make_account(db))
      return err;
    return db.add_web_session(begun);
  };
  call->apply = [begun, who](key_ring& ring) { ring.add(begun, who); };
  call->done = answer_with(std::move(reply), result);
  caf::anon_send(x_key_manager.get(), std::move(call));
}

void node::open_web_session(std::string text, bool may_wait,
                            reply_ptr<session> reply) {
  if (auto known = x_keys.find_session(text, now()))
    return reply->deliver(std::move(*known));
  // Spares asking the store for what cannot be one.
  if (!may_wait || text.size() != web_session_size)
    return reply->deliver(no_session());
  // Another node may have begun it within the last second.
  read<session>(
    "find_web_session",
    [this,
     hash = sha256_hex(text)](storage::backend& db) -> caf::expected<session> {
      auto found = db.find_web_session(hash, now());
      if (!found)
        return std::move(found.error());
      if (!*found)
        return no_session();
      identity::session_claims claims;
      claims.subject = (*found)->account_id;
      claims.email = (*found)->email;
      claims.expires_at = (*found)->expires_at;
      return session_of(claims);
    },
    std::move(reply));
}

void node::end_web_session(std::string text, reply_ptr<bool> reply) {
  const auto hash = sha256_hex(text);
  const auto was_known = x_keys.find_session(text, now()).has_value();
  auto call = std::make_shared<key_call>();
  call->name = "end_web_session";
  call->store
    = [hash](storage::backend& db) { return db.end_web_session(hash); };
  call->apply = [hash](key_ring& ring) { ring.remove_session(hash); };
  call->done = answer_with(std::move(reply), was_known);
  caf::anon_send(x_key_manager.get(), std::move(call));
}

void node::create_key(const session& owner, std::string name, key_type type,
                      reply_ptr<created_key> reply) {
  created_key result;
  result.text = make_key(type);
  auto& key = result.stored;
  key.created_at = now();
  key.id = make_uuid(key.created_at);
  key.account_id = owner.who.account_id;
  key.type = type;
  key.name = std::move(name);
  key.prefix = key_prefix(result.text);
  key.hash = sha256_hex(result.text);
  auto who = owner.who;
  who.key_id = key.id;
  who.type = type;
  auto call = std::make_shared<key_call>();
  call->name = "add_key";
  call->store = [key, make_account = account_maker(owner, key.created_at)](
                  storage::backend& db) {
    if (auto err = make_account(db))
      return err;
    return db.add_key(key);
  };
  call->apply = [hash = key.hash, who](key_ring& ring) { ring.add(hash, who); };
  call->done = answer_with(std::move(reply), result);
  caf::anon_send(x_key_manager.get(), std::move(call));
}

void node::list_keys(const uuid& account_id,
                     reply_ptr<std::vector<api_key>> reply) {
  read<std::vector<api_key>>(
    "account_keys",
    [=, this](storage::backend& db) {
      auto result = db.account_keys(account_id);
      if (!result)
        return result;
      // The store learns of uses some seconds later.
      for (auto& key : *result)
        if (const auto at = x_keys.last_use(key.id))
          key.last_used_at = std::max(*at, key.last_used_at.value_or(*at));
      return result;
    },
    std::move(reply));
}

void node::revoke_key(const uuid& account_id, const uuid& key_id,
                      reply_ptr<uuid> reply) {
  auto call = std::make_shared<key_call>();
  call->name = "revoke_key";
  call->store
    = [=](storage::backend& db) { return db.revoke_key(account_id, key_id); };
  call->apply = [key_id](key_ring& ring) { ring.remove(key_id); };
  call->done = answer_with(std::move(reply), key_id);
  caf::anon_send(x_key_manager.get(), std::move(call));
}

void node::sign_in(sign_in_call call) {
  call.ticket = x_sign_ins.enter();
  if (!call.ticket) {
    x_counters.sign_ins_refused->Increment();
    call.reply->deliver(
      make_error(ec::unavailable, "too many sign-ins are under way"));
    return;
  }
  caf::anon_send(x_sign_in_desk.get(),
                 std::make_shared<sign_in_call>(std::move(call)));
}

void node::sign_in(std::string email, std::string password,
                   reply_ptr<sign_in_answer> reply) {
  sign_in_call call;
  call.email = std::move(email);
  call.password = std::move(password);
  call.reply = std::move(reply);
  sign_in(std::move(call));
}

void node::refresh_session(std::string refresh_token,
                           reply_ptr<sign_in_answer> reply) {
  sign_in_call call;
  call.refresh_token = std::move(refresh_token);
  call.reply = std::move(reply);
  sign_in(std::move(call));
}

} // namespace turnout
