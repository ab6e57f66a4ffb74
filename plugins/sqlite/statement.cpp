#include "plugins/sqlite/statement.hpp"

#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <utility>

namespace turnout::sqlite {

using namespace sqlite_api;

sqlite_api::sqlite3* handle_of(soci::session& db) {
  return static_cast<soci::sqlite3_session_backend*>(db.get_backend())->conn_;
}

statement::statement(statement_cache& cache, std::string_view sql)
  : x_cache(cache),
    x_prepared(cache.take(sql)),
    x_statement(x_prepared.mapped()) {
  // nop
}

statement::~statement() {
  x_cache.give_back(std::move(x_prepared));
}

int64_t statement::run() {
  while (next())
    ; // nop
  return sqlite3_changes(x_cache.db());
}

bool statement::run_unless_there() {
  const auto result = sqlite3_step(x_statement);
  reset();
  if (result == SQLITE_CONSTRAINT
      && sqlite3_extended_errcode(x_cache.db()) == SQLITE_CONSTRAINT_PRIMARYKEY)
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

bool statement::has_row() {
  const auto result = next();
  reset();
  return result;
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

std::string_view statement::bytes(int column) const {
  const auto* bytes
    = static_cast<const char*>(sqlite3_column_blob(x_statement, column));
  if (bytes == nullptr)
    return {};
  return {bytes,
          static_cast<size_t>(sqlite3_column_bytes(x_statement, column))};
}

void statement::set(const blob& x) {
  check(sqlite3_bind_blob(x_statement, ++x_bound, x.bytes.data(),
                          static_cast<int>(x.bytes.size()), nullptr));
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
    throw soci::sqlite3_soci_error{sqlite3_errmsg(x_cache.db()), result};
}

} // namespace turnout::sqlite
