#pragma once

#include "core/error.hpp"

#include <string>

namespace turnout::postgresql {

/// What an error of the database means for the connection and the call.
struct diagnosis {
  caf::error reason;
  /// Whether the transaction was undone for the sake of another one, so that it
  /// may succeed when it is tried again.
  bool is_transient = false;
  /// Whether another connection might get on better.
  bool needs_connection = false;
};

/// Translates an SQLSTATE; an empty one means that the connection is gone.
/// @param what the operation as in "Cannot <what>".
diagnosis translate(const std::string& sqlstate, const std::string& what);

/// Translates a failure to connect.
/// @param message what libpq says about it, which is only looked at.
caf::error translate_connect(const std::string& message,
                             const std::string& what);

} // namespace turnout::postgresql
