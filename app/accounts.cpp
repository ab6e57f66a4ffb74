#include "app/accounts.hpp"

#include "app/command_line.hpp"
#include "app/output.hpp"
#include "app/store.hpp"
#include "core/identifiers.hpp"
#include "core/rules.hpp"
#include "identity/password.hpp"

#include <functional>
#include <iostream>
#include <utility>

namespace turnout::app {

namespace {

bool looks_like_email(const std::string& text) {
  const auto at = text.find('@');
  return at != std::string::npos && at > 0 && at + 1 < text.size()
         && text.size() <= 254
         && text.find_first_of(" \t\r\n") == std::string::npos;
}

api_key describe_key(const account& owner, key_type type,
                     const std::string& name, const std::string& key) {
  api_key result;
  result.created_at = now();
  result.id = make_uuid(result.created_at);
  result.account_id = owner.id;
  result.type = type;
  result.name = name;
  result.prefix = key_prefix(key);
  result.hash = sha256_hex(key);
  return result;
}

/// Changes an account in the store.
int change_account(const settings& options, const std::string& email,
                   const std::function<void(account&)>& change) {
  auto db = open_store(options);
  if (!db)
    return fail(db.error());
  auto owner = find_account(**db, email);
  if (!owner)
    return fail(owner.error());
  change(*owner);
  if (auto err = (*db)->update_account(*owner))
    return fail(err);
  return done;
}

} // namespace

caf::expected<account> find_account(storage::backend& db,
                                    const std::string& email) {
  auto found = db.find_account(email);
  if (!found)
    return std::move(found.error());
  // Accounts of an external identity provider may have no address.
  if (const auto id = uuid::parse(email); !*found && id) {
    auto accounts = db.list_accounts();
    if (!accounts)
      return std::move(accounts.error());
    for (auto& x : *accounts)
      if (x.id == *id)
        return std::move(x);
  }
  if (!*found)
    return make_error(ec::not_found, "there is no account " + email
                                       + "; see: turnout user list");
  return std::move(**found);
}

caf::expected<std::optional<first_account>>
make_first_account(storage::backend& db) {
  auto accounts = db.list_accounts();
  if (!accounts)
    return std::move(accounts.error());
  if (!accounts->empty())
    return std::optional<first_account>{};
  first_account result{"admin@localhost", identity::make_password(),
                       make_key(key_type::secret)};
  account owner;
  owner.created_at = now();
  owner.id = make_uuid(owner.created_at);
  owner.email = result.email;
  owner.password_hash = identity::hash_password(result.password);
  if (auto err = db.add_account(owner)) {
    // Another process was faster; its terminal has the password.
    if (code_of(err) == ec::conflict)
      return std::optional<first_account>{};
    return err;
  }
  if (auto err = db.add_key(
        describe_key(owner, key_type::secret, "first key", result.key)))
    return err;
  return std::optional{std::move(result)};
}

int add_user(const settings& options, const new_user& user) {
  account owner;
  owner.created_at = now();
  owner.id = make_uuid(owner.created_at);
  owner.email = user.email;
  if (!looks_like_email(user.email))
    return fail(
      make_error(ec::invalid, "'" + user.email + "' is not an e-mail address"));
  if (!user.id.empty()) {
    const auto id = uuid::parse(user.id);
    if (!id || !*id)
      return fail(make_error(ec::invalid, "'" + user.id + "' is not a UUID"));
    owner.id = *id;
  }
  auto db = open_store(options);
  if (!db)
    return fail(db.error());
  std::string password;
  if (user.password_from_stdin) {
    std::getline(std::cin, password);
    if (password.empty())
      return fail(make_error(ec::invalid, "no password on standard input"));
  } else {
    password = identity::make_password();
  }
  owner.password_hash = identity::hash_password(password);
  if (auto err = (*db)->add_account(owner)) {
    if (code_of(err) == ec::conflict)
      return fail(make_error(ec::conflict,
                             "there is an account " + user.email
                               + " or with this id already; see: turnout user "
                                 "list"));
    return fail(err);
  }
  if (!user.password_from_stdin)
    std::cerr << "password: " << password << '\n';
  std::cout << owner.id.str() << '\n';
  return done;
}

int list_users(const settings& options) {
  auto db = open_store(options);
  if (!db)
    return fail(db.error());
  auto accounts = (*db)->list_accounts();
  if (!accounts)
    return fail(accounts.error());
  for (const auto& x : *accounts)
    std::cout << x.id.str() << '\t' << x.email << "\tapi-access "
              << (x.api_access ? "on" : "off") << "\trate-limit "
              << x.rate_limit.value_or(options.rate_limit.per_hour) << '\n';
  return done;
}

int set_api_access(const settings& options, const std::string& email, bool on) {
  return change_account(options, email,
                        [on](account& x) { x.api_access = on; });
}

int set_rate_limit(const settings& options, const std::string& email,
                   int limit) {
  return change_account(options, email,
                        [limit](account& x) { x.rate_limit = limit; });
}

int create_key(const settings& options, const new_key& key) {
  auto name = check_name(key.name);
  if (!name)
    return fail(name.error());
  auto type = parse_key_type(key.type);
  auto text = key.key;
  if (text.empty()) {
    text = make_key(type.value_or(key_type::secret));
  } else if (!type_of_key(text)) {
    return fail(make_error(ec::invalid,
                           "the key must be svc_sk_, svc_pk_ or svc_live_ "
                           "and 32 letters and digits"));
  } else if (type && type != type_of_key(text)) {
    return fail(make_error(ec::invalid, "a key of type " + key.type
                                          + " begins with " + prefix_of(*type)
                                          + "; leave --type out to take the "
                                            "key's own"));
  }
  type = type_of_key(text);
  auto db = open_store(options);
  if (!db)
    return fail(db.error());
  auto owner = find_account(**db, key.email);
  if (!owner)
    return fail(owner.error());
  if (auto err = (*db)->add_key(describe_key(*owner, *type, *name, text))) {
    if (code_of(err) == ec::conflict)
      return fail(make_error(ec::conflict, "this key exists already"));
    return fail(err);
  }
  std::cout << text << '\n';
  return done;
}

} // namespace turnout::app
