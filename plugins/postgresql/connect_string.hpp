#pragma once

#include <string>

namespace turnout::postgresql {

/// Returns a connection string that says what `dsn` (key=value pairs or a URI,
/// as libpq takes them) says, and what it leaves open in such a way that a
/// database that is gone is noticed within seconds. An invalid string is
/// returned as it is: libpq knows best what is wrong with it.
std::string complete(const std::string& dsn);

} // namespace turnout::postgresql
