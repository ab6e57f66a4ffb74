#pragma once

#include "plugins/sql/dialect.hpp"
#include "plugins/sql/statements.hpp"

/// What SQLite says in its own way, besides its schema (schema.cpp).
namespace turnout::sqlite::sql {

// A write transaction takes the lock at once, as one that first reads and then
// writes could fail half-way when another one wrote in between. Writers are
// alone, so there are no rows to lock.
inline constexpr plugins::dialect words{
  "BEGIN",
  "BEGIN IMMEDIATE",
  "BEGIN IMMEDIATE",
  "SELECT count(*) FROM sqlite_master WHERE name = 'schema_migrations'",
  plugins::sql::positions_of_node,
  "INSERT INTO changes (kind, id_hi, id_lo) VALUES (:kind, :id_hi, :id_lo)",
};

inline constexpr char get_journal_mode[] = "PRAGMA journal_mode";

inline constexpr char set_journal_mode[] = "PRAGMA journal_mode = WAL";

// `cache_size` is in KiB when negative. The checkpoint comes every 64 MB: pages
// that several batches wrote are then copied once.
inline constexpr const char* settings[] = {
  "PRAGMA synchronous = NORMAL",
  "PRAGMA foreign_keys = ON",
  "PRAGMA cache_size = -32000",
  "PRAGMA wal_autocheckpoint = 16000",
};

} // namespace turnout::sqlite::sql
