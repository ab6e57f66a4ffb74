#pragma once

#include "core/error.hpp"

#include <string>

namespace turnout::sqlite {

/// Returns the error for a result code of SQLite: what failed, and what to do.
/// The text names neither SQL nor paths, as clients may get to see it.
/// @param what the operation as in "Cannot <what>".
caf::error translate(int sqlite_result, const std::string& what);

/// Fails as SQLite does where the file is damaged.
[[noreturn]] void fail_as_damaged();

} // namespace turnout::sqlite
