#include "plugins/sqlite/statement_cache.hpp"

#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

namespace turnout::sqlite {

using namespace sqlite_api;

statement_cache::~statement_cache() {
  for (auto& [text, prepared] : x_idle)
    sqlite3_finalize(prepared);
}

statement_cache::prepared statement_cache::take(std::string_view sql) {
  if (const auto i = x_idle.find(sql); i != x_idle.end())
    return x_idle.extract(i);
  sqlite3_stmt* result = nullptr;
  const auto code = sqlite3_prepare_v2(
    x_db, sql.data(), static_cast<int>(sql.size()), &result, nullptr);
  if (code != SQLITE_OK)
    throw soci::sqlite3_soci_error{sqlite3_errmsg(x_db), code};
  return x_idle.extract(x_idle.emplace(sql, result));
}

void statement_cache::give_back(prepared x) noexcept {
  sqlite3_reset(x.mapped());
  // Texts that it was given may be gone.
  sqlite3_clear_bindings(x.mapped());
  x_idle.insert(std::move(x));
}

} // namespace turnout::sqlite
