#include "storage/plugin.hpp"

#include "plugins/postgresql/postgresql_backend.hpp"

#include <new>

namespace {

turnout::storage::backend*
open_postgresql(const turnout::storage::backend_settings& settings) {
  try {
    return new turnout::postgresql::postgresql_backend(settings);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

} // namespace

TURNOUT_STORAGE_PLUGIN("postgresql", open_postgresql);
