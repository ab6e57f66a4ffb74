#pragma once

#include "config/settings.hpp"
#include "core/model.hpp"
#include "storage/backend.hpp"

#include <optional>
#include <string>

namespace turnout::app {

/// What `turnout user add` is given.
struct new_user {
  std::string email;
  bool password_from_stdin = false;
  /// UUID text; empty makes one.
  std::string id;
};

/// What `turnout key create` is given.
struct new_key {
  std::string email;
  std::string name;
  /// Empty: that of the key, or secret.
  std::string type;
  /// An existing key to import; empty makes one.
  std::string key;
};

/// The account and key that an empty store begins with.
struct first_account {
  std::string email;
  std::string password;
  std::string key;
};

/// Makes the first account with a random password and a secret key when the
/// store has no account; nullopt when it has.
caf::expected<std::optional<first_account>>
make_first_account(storage::backend& db);

/// Finds an account by e-mail address, or by id. Fails with `ec::not_found` and
/// what to do.
caf::expected<account> find_account(storage::backend& db,
                                    const std::string& email);

// The commands return an exit code.

/// Adds an account and prints its id.
int add_user(const settings& options, const new_user& user);

/// Prints id, e-mail address, API access and rate limit of every account.
int list_users(const settings& options);

/// Switches the API access of an account.
int set_api_access(const settings& options, const std::string& email, bool on);

/// Sets the API requests per hour of an account.
int set_rate_limit(const settings& options, const std::string& email,
                   int limit);

/// Makes a key and prints it.
int create_key(const settings& options, const new_key& key);

} // namespace turnout::app
