#pragma once

#include "config/settings.hpp"

namespace turnout::app {

/// Runs the service in the foreground until SIGTERM or SIGINT. Returns an exit
/// code: `done` after a wanted stop.
int serve(const settings& options);

} // namespace turnout::app
