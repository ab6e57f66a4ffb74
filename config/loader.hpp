#pragma once

#include "config/settings.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace turnout::config {

/// Where settings come from; a later member wins over an earlier one, and all
/// over the defaults.
struct sources {
  /// A TOML file; empty for none.
  std::filesystem::path file;
  /// Variables as "NAME=value". Those named TURNOUT_SECTION_KEY count; lists
  /// are divided by commas, flags are true or false.
  std::vector<std::string> environment;
  /// Names ("section.key") and values from the command line, written like
  /// those of the environment.
  std::vector<std::pair<std::string, std::string>> overrides;
};

/// Settings, and where they came from.
struct loaded {
  settings values;
  /// By name of the setting: "turnout.toml:3", "TURNOUT_HTTP_LISTEN" or
  /// "command line"; nothing for those that have their default.
  std::map<std::string, std::string> origins;
  /// What somebody ought to look at, such as a TURNOUT_ variable that is no
  /// setting. An error it cannot be: container platforms set variables after
  /// the names of services.
  std::vector<std::string> warnings;
};

/// Reads and validates. Fails with `ec::config` and where (file and line,
/// variable, command line) what is wrong.
caf::expected<loaded> load(const sources& from);

/// Returns the environment of this process, as `sources` takes it.
std::vector<std::string> process_environment();

/// Renders every setting in force as a line of TOML with its origin, passwords
/// masked; for `check-config`.
std::string describe(const loaded& x);

/// Returns the table of docs/configuration.md in Markdown: every setting with
/// its default, what is allowed, whether a reload takes it over, and what it
/// means.
std::string reference();

/// Returns the text of config/turnout.example.toml: every setting with what it
/// means and its default, commented out.
std::string example_file();

} // namespace turnout::config
