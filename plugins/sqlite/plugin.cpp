#include "storage/plugin.hpp"

#include "plugins/sqlite/sqlite_backend.hpp"

#include <new>

namespace {

turnout::storage::backend*
open_sqlite(const turnout::storage::backend_settings& settings) {
  try {
    return new turnout::sqlite::sqlite_backend(settings);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

} // namespace

TURNOUT_STORAGE_PLUGIN("sqlite", open_sqlite);
