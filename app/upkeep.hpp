#pragma once

#include "config/settings.hpp"

#include <string>

namespace turnout::app {

/// Brings the store to the newest schema and prints its version. Returns an
/// exit code.
int migrate(const settings& options);

/// Recomputes every total from the raw events and prints the differences.
/// Returns an exit code: `failed` when there was one.
int verify(const settings& options, bool repair);

/// Deletes the raw clicks of the UTC days before a date, such as "2026-01-31",
/// and prints how many; no total changes. Returns an exit code.
int purge(const settings& options, const std::string& before);

/// Copies everything that the node has into a new directory, which then is a
/// data directory like the node's own, and prints what is there. The service
/// may run. Returns an exit code.
int back_up(const settings& options, const std::string& directory);

} // namespace turnout::app
