#pragma once

namespace sqlite_api {
struct sqlite3;
} // namespace sqlite_api

namespace turnout::sqlite {

/// Has a connection to a file with a write-ahead log yield the core every few
/// pages that it writes: commits and checkpoints write thousands of them
/// without a step of a statement in between, and a kernel that is not
/// preemptive would leave them the core for milliseconds. What is read and
/// written stays the same. Throws nothing.
void yield_in_long_writes(sqlite_api::sqlite3* db) noexcept;

} // namespace turnout::sqlite
