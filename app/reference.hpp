#pragma once

#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace turnout::app {

// Texts for people and shells, made from the command line and the settings
// themselves, so that they never say anything else.

/// Returns the manual page turnout(1), as roff.
std::string command_manual(const CLI::App& cli);

/// Returns the manual page turnout.toml(5), as roff.
std::string settings_manual();

/// Returns what completes the command line in bash.
std::string bash_completion(const CLI::App& cli);

} // namespace turnout::app
