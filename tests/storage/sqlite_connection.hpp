#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <stdexcept>

namespace turnout::test {

struct sqlite_closer {
  void operator()(sqlite3* db) const {
    sqlite3_close(db);
  }
};

/// A connection past the plugin.
using sqlite_connection = std::unique_ptr<sqlite3, sqlite_closer>;

/// Lets a connection of our own look into the clicks of runs, by loading the
/// plugin as an extension.
/// @param plugins the directory of the plugin
inline void load_click_functions(sqlite3* db,
                                 const std::filesystem::path& plugins) {
  const auto file = plugins / "libturnout_storage_sqlite.so";
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, nullptr);
  if (sqlite3_load_extension(db, file.c_str(), nullptr, nullptr) != SQLITE_OK)
    throw std::runtime_error{"cannot load " + file.string()};
}

} // namespace turnout::test
