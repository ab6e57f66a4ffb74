#include "plugins/sqlite/statement.hpp"

#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

namespace turnout::sqlite {

using namespace sqlite_api;

sqlite_api::sqlite3* handle_of(soci::session& db) {
  return static_cast<soci::sqlite3_session_backend*>(db.get_backend())->conn_;
}

statement::statement(sqlite_api::sqlite3* db, const char* sql) : x_db(db) {
  check(sqlite3_prepare_v2(x_db, sql, -1, &x_statement, nullptr));
}

statement::~statement() {
  sqlite3_finalize(x_statement);
}

int64_t statement::run() {
  while (next())
    ; // nop
  return sqlite3_changes(x_db);
}

bool statement::run_unless_there() {
  const auto result = sqlite3_step(x_statement);
  reset();
  if (result == SQLITE_CONSTRAINT
      && sqlite3_extended_errcode(x_db) == SQLITE_CONSTRAINT_PRIMARYKEY)
    return false;
  if (result != SQLITE_DONE)
    check(result);
  return true;
}

bool statement::next() {
  const auto result = sqlite3_step(x_statement);
  if (result == SQLITE_ROW)
    return true;
  reset();
  if (result != SQLITE_DONE)
    check(result);
  return false;
}

int64_t statement::integer(int column) const {
  return sqlite3_column_int64(x_statement, column);
}

std::string_view statement::text(int column) const {
  const auto* chars
    = reinterpret_cast<const char*>(sqlite3_column_text(x_statement, column));
  if (chars == nullptr)
    return {};
  return {chars,
          static_cast<size_t>(sqlite3_column_bytes(x_statement, column))};
}

void statement::set_integer(int64_t x) {
  check(sqlite3_bind_int64(x_statement, ++x_bound, x));
}

void statement::set_text(std::string_view x) {
  // Nowhere would mean NULL.
  const auto* chars = x.data() == nullptr ? "" : x.data();
  check(sqlite3_bind_text(x_statement, ++x_bound, chars,
                          static_cast<int>(x.size()), nullptr));
}

void statement::reset() noexcept {
  x_bound = 0;
  sqlite3_reset(x_statement);
}

void statement::check(int result) const {
  if (result != SQLITE_OK)
    throw soci::sqlite3_soci_error{sqlite3_errmsg(x_db), result};
}

} // namespace turnout::sqlite
