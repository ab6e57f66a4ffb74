#pragma once

#include "plugins/sql/connection.hpp"

#include <libpq-fe.h>

#include <memory>
#include <string>

namespace turnout::postgresql {

/// Connects to a server and makes its time limits ours. Throws a `failure` when
/// the server is not such that everything works, and what SOCI throws when it
/// cannot be reached.
std::unique_ptr<plugins::connection> connect(const std::string& connect_string);

/// Returns libpq's side of a connection.
PGconn* raw(plugins::connection& db);

} // namespace turnout::postgresql
