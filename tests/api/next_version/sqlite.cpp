// The plugin "sqlite" of a next version.

#include "plugins/sqlite/sqlite_backend.hpp"
#include "storage/plugin.hpp"
#include "tests/api/next_version/next_backend.hpp"

using next = turnout::test::next_backend<turnout::sqlite::sqlite_backend>;

TURNOUT_STORAGE_PLUGIN("sqlite", next::open);
