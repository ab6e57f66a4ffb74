#include "plugins/sql/sql_backend.hpp"
#include "plugins/sql/statements.hpp"

#include <cstdint>
#include <tuple>

namespace turnout::plugins {

using storage::change;
using storage::web_session;

namespace {

struct web_session_row {
  web_session x;
  int64_t created_at = 0;
  int64_t expires_at = 0;

  auto columns() {
    return std::tie(x.hash, x.family, x.account_id, x.email, created_at,
                    expires_at);
  }

  web_session get() const {
    auto result = x;
    result.created_at = from_micros(created_at);
    result.expires_at = from_micros(expires_at);
    return result;
  }
};

} // namespace

caf::error sql_backend::add_web_session(const web_session& x) {
  return attempt("add the session", [&](connection& db) {
    auto created_at = to_micros(x.created_at);
    auto expires_at = to_micros(x.expires_at);
    transaction tx{db, access::write};
    db.run(sql::expire_web_sessions, created_at);
    db.run(sql::add_web_session, x.hash, x.family, x.account_id, x.email,
           created_at, expires_at);
    add_change(db, change::kind::account, x.account_id);
    tx.commit();
  });
}

caf::error sql_backend::end_web_session(const std::string& hash) {
  return attempt("end the session", [&](connection& db) {
    uuid family;
    uuid account_id;
    transaction tx{db, access::write};
    if (db.first(sql::end_web_session, std::tie(family, account_id), hash)) {
      if (family) {
        db.run(sql::forget_family, family);
        db.run(sql::end_family_sessions, family);
      }
      add_change(db, change::kind::account, account_id);
    }
    tx.commit();
  });
}

caf::expected<std::vector<web_session>>
sql_backend::list_web_sessions(timestamp at) {
  return attempt("list the sessions", [&](connection& db) {
    auto now = to_micros(at);
    std::vector<web_session> result;
    web_session_row row;
    db.each(
      sql::list_web_sessions, row.columns(),
      [&] { result.emplace_back(row.get()); }, now);
    return result;
  });
}

caf::expected<std::optional<web_session>>
sql_backend::find_web_session(const std::string& hash, timestamp at) {
  return attempt("look up the session", [&](connection& db) {
    auto now = to_micros(at);
    web_session_row row;
    std::optional<web_session> result;
    if (db.first(sql::find_web_session, row.columns(), hash, now))
      result = row.get();
    return result;
  });
}

} // namespace turnout::plugins
