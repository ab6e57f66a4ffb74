#pragma once

namespace sqlite_api {
struct sqlite3;
} // namespace sqlite_api

namespace turnout::sqlite {

/// Has a connection to a file with a write-ahead log, which is open, give way
/// (core/core_turn.hpp) between the pages that a thread of low priority writes:
/// commits and checkpoints write thousands of them without a step of a
/// statement in between. What is read and written stays the same.
void yield_in_long_writes(sqlite_api::sqlite3* db) noexcept;

} // namespace turnout::sqlite
