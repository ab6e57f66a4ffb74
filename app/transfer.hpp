#pragma once

#include "config/settings.hpp"

#include <string>

namespace turnout::app {

/// What `turnout import` is given.
struct import_request {
  /// "csv", "jsonl", "bitly", "yourls", "kutt" or "shlink".
  std::string format;
  /// Path, or "-" for standard input.
  std::string file;
  /// E-mail address or id; empty means the only account.
  std::string email;
  bool dry_run = false;
};

/// What `turnout export` is given.
struct export_request {
  /// "csv" or "jsonl".
  std::string format = "csv";
  /// "links" or "clicks".
  std::string what = "links";
  /// E-mail address or id; empty means the only account.
  std::string email;
  /// Path; empty means standard output.
  std::string output;
};

// The commands return an exit code.

/// Stores the links of a file. Prints a line on stderr for each row that is
/// refused, and what became of all on stdout.
int import_links(const settings& options, const import_request& what);

/// Writes the links of an account, or their clicks.
int export_links(const settings& options, const export_request& what);

} // namespace turnout::app
