#pragma once

namespace turnout::app {

/// Exit codes of every command.
enum exit_code : int {
  done = 0,
  failed = 1,
  wrong_usage = 2,
};

/// Parses the command line and runs the command. Returns an `exit_code`.
int run(int argc, char** argv);

} // namespace turnout::app
