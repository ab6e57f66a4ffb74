#pragma once

namespace sqlite_api {
struct sqlite3;
} // namespace sqlite_api

namespace turnout::sqlite {

/// Gives a connection what the schema needs to look into packed clicks
/// (packed_clicks.hpp): `unpacked(X)`, a table of the clicks in bytes X, whose
/// columns are those of a click but for the run and the link; and
/// `packed_click(...)`, which packs one of which it is given these columns in
/// their order. Throws soci::sqlite3_soci_error.
///
/// Whoever opens the file otherwise, such as in the shell `sqlite3`, loads the
/// plugin as an extension: `.load libturnout_storage_sqlite`.
void add_click_functions(sqlite_api::sqlite3* db);

} // namespace turnout::sqlite
