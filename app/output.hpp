#pragma once

#include <caf/error.hpp>

namespace turnout::app {

/// Writes an error as one line to stderr and returns the exit code for it.
int fail(const caf::error& err);

} // namespace turnout::app
