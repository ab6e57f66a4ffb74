// The plugin "postgresql" of a next version.

#include "plugins/postgresql/postgresql_backend.hpp"
#include "storage/plugin.hpp"
#include "tests/api/next_version/next_backend.hpp"

using next
  = turnout::test::next_backend<turnout::postgresql::postgresql_backend>;

TURNOUT_STORAGE_PLUGIN("postgresql", next::open);
