#include "storage/plugin.hpp"

#include "plugins/sqlite/backup.hpp"
#include "plugins/sqlite/sqlite_backend.hpp"

#include <soci/sqlite3/soci-sqlite3.h>

#include <new>

namespace {

turnout::storage::backend*
open_sqlite(const turnout::storage::backend_settings& settings) {
  // A connection is used by one thread at a time, so its locks are not needed,
  // nor the count of all bytes that every allocation would lock. Without effect
  // when the process has a connection already.
  using namespace sqlite_api;
  sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  try {
    return new turnout::sqlite::sqlite_backend(settings);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

} // namespace

TURNOUT_STORAGE_PLUGIN("sqlite", open_sqlite, turnout::sqlite::back_up);
