#include "plugins/sql/sql_backend.hpp"
#include "plugins/sql/statements.hpp"

namespace turnout::plugins {

using storage::change;

caf::error sql_backend::add_account(const account& x) {
  return attempt("add the account", [&](connection& db) {
    account_row row{x};
    auto folded = fold_email(x.email);
    transaction tx{db, access::write};
    if (db.run(sql::add_account, row.id, row.email, folded, row.password_hash,
               row.api_access, row.rate_limit, row.created_at)
        == 0)
      fail(ec::conflict, "An account with this id or e-mail address exists.");
    add_change(db, change::kind::account, x.id);
    tx.commit();
  });
}

caf::expected<std::optional<account>>
sql_backend::find_account(const std::string& email) {
  return attempt("look up the account", [&](connection& db) {
    account_row row;
    auto folded = fold_email(email);
    std::optional<account> result;
    if (db.first(sql::find_account, row.columns(), folded))
      result = row.get();
    return result;
  });
}

caf::expected<std::vector<account>> sql_backend::list_accounts() {
  return attempt("list the accounts", [](connection& db) {
    std::vector<account> result;
    account_row row;
    db.each(sql::list_accounts, row.columns(),
            [&] { result.emplace_back(row.get()); });
    return result;
  });
}

caf::error sql_backend::update_account(const account& x) {
  return attempt("change the account", [&](connection& db) {
    account_row row{x};
    transaction tx{db, access::write};
    if (db.run(sql::update_account, row.api_access, row.rate_limit,
               row.password_hash, row.id)
        == 0)
      fail(ec::not_found, "Account not found");
    add_change(db, change::kind::account, x.id);
    tx.commit();
  });
}

caf::error sql_backend::add_key(const api_key& x) {
  return attempt("add the API key", [&](connection& db) {
    api_key_row row{x};
    transaction tx{db, access::write};
    if (db.run(sql::add_key, row.id, row.account_id, row.type, row.name,
               row.prefix, row.hash, row.created_at, row.last_used_at,
               row.is_active)
        == 0)
      fail(ec::conflict, "This API key exists already.");
    add_change(db, change::kind::key, x.id);
    tx.commit();
  });
}

caf::expected<std::vector<api_key>> sql_backend::list_keys() {
  return attempt("list the API keys", [](connection& db) {
    std::vector<api_key> result;
    api_key_row row;
    db.each(sql::list_keys, row.columns(),
            [&] { result.emplace_back(row.get()); });
    return result;
  });
}

caf::expected<std::vector<api_key>>
sql_backend::account_keys(const uuid& account_id) {
  return attempt("list the API keys", [&](connection& db) {
    std::vector<api_key> result;
    api_key_row row;
    db.each(
      sql::account_keys, row.columns(), [&] { result.emplace_back(row.get()); },
      account_id);
    return result;
  });
}

caf::error sql_backend::revoke_key(const uuid& account_id, const uuid& key_id) {
  return attempt("revoke the API key", [&](connection& db) {
    transaction tx{db, access::write};
    if (db.run(sql::revoke_key, key_id, account_id) == 0)
      fail(ec::not_found, "API key not found");
    add_change(db, change::kind::key, key_id);
    tx.commit();
  });
}

caf::error
sql_backend::touch_keys(const std::vector<std::pair<uuid, timestamp>>& used) {
  if (used.empty())
    return caf::none;
  return attempt("note the use of API keys", [&](connection& db) {
    transaction tx{db, access::write};
    for (const auto& [id, at] : used) {
      auto micros = to_micros(at);
      db.run(sql::touch_key, micros, id);
    }
    tx.commit();
  });
}

// -- sign-in ------------------------------------------------------------------

caf::error sql_backend::add_refresh_token(const storage::refresh_token& x) {
  return attempt("add the refresh token", [&](connection& db) {
    auto created_at = to_micros(x.created_at);
    auto expires_at = to_micros(x.expires_at);
    transaction tx{db, access::write};
    db.run(sql::expire_refresh_tokens, created_at);
    db.run(sql::add_refresh_token, x.hash, x.family, x.account_id, created_at,
           expires_at);
    tx.commit();
  });
}

caf::expected<storage::rotation>
sql_backend::rotate_refresh_token(const std::string& hash,
                                  const std::string& next_hash, timestamp at,
                                  timestamp expires_at) {
  return attempt("rotate the refresh token", [&](connection& db) {
    using outcome = storage::rotation::outcome;
    auto now = to_micros(at);
    auto next_end = to_micros(expires_at);
    uuid family;
    uuid account_id;
    auto is_used = 0;
    storage::rotation result;
    transaction tx{db, access::write};
    account_row owner;
    if (!db.first(sql::find_refresh_token,
                  std::tie(family, account_id, is_used), hash, now)) {
      result.what = outcome::unknown;
    } else if (is_used != 0 || db.run(sql::use_refresh_token, hash) == 0) {
      db.run(sql::forget_family, family);
      if (db.run(sql::end_family_sessions, family) > 0)
        add_change(db, change::kind::account, account_id);
      result.what = outcome::reused;
    } else if (db.first(sql::account_of_id, owner.columns(), account_id)) {
      db.run(sql::add_refresh_token, next_hash, family, account_id, now,
             next_end);
      result.what = outcome::rotated;
      result.owner = owner.get();
      result.family = family;
    }
    tx.commit();
    return result;
  });
}

} // namespace turnout::plugins
