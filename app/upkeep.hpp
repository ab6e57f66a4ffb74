#pragma once

#include "config/settings.hpp"

namespace turnout::app {

/// Brings the store to the newest schema and prints its version. Returns an
/// exit code.
int migrate(const settings& options);

/// Recomputes every total from the raw events and prints the differences.
/// Returns an exit code: `failed` when there was one.
int verify(const settings& options, bool repair);

} // namespace turnout::app
