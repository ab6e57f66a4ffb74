#pragma once

namespace sqlite_api {
struct sqlite3;
} // namespace sqlite_api

namespace turnout::sqlite {

/// Gives a connection the functions that the schema needs to look into packed
/// clicks and places (packed_clicks.hpp, packed_places.hpp): the tables
/// `unpacked(X)` and `places(X)` of what is in bytes X, and `packed_click(...)`
/// and `packed_place(...)`, which pack one, given its columns in the order of
/// these tables. Throws soci::sqlite3_soci_error.
///
/// Whoever opens the file otherwise, such as in the shell `sqlite3`, loads the
/// plugin as an extension: `.load libturnout_storage_sqlite`.
void add_click_functions(sqlite_api::sqlite3* db);

} // namespace turnout::sqlite
