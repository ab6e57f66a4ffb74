#pragma once

#include "config/loader.hpp"

namespace turnout::app {

/// Runs the service in the foreground until SIGTERM or SIGINT. Returns an exit
/// code: `done` after a wanted stop.
/// @param from where the settings came from; SIGHUP has them read again.
int serve(const settings& options, const config::sources& from);

} // namespace turnout::app
