#pragma once

#include "tests/api/harness/process.hpp"
#include "tests/api/harness/server.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace turnout::test {

/// A file as another service, or a spreadsheet, would export it.
struct export_sample {
  std::string text;
  /// Links that are made of it.
  int64_t links = 0;
  /// Rows that say again what another one said.
  int64_t repeated = 0;
  /// Clicks that come with the links.
  int64_t clicks = 0;
  /// What is printed of the rows that are refused, in order.
  std::vector<std::string> refusals;
};

/// Makes a file of so many rows in which about one of a hundred is broken, in
/// all ways in turn. The same arguments make the same file.
/// @param kind "csv", "bitly", "yourls", "kutt", "shlink", or one of
///             "bitly.json", "yourls.json", "kutt.json", "shlink.json".
export_sample make_export(const std::string& kind, int rows);

/// Starts a command on the store of a service; its output goes to files.
std::unique_ptr<process> begin_command(const server& service,
                                       const std::vector<std::string>& args,
                                       const std::filesystem::path& out,
                                       const std::filesystem::path& err);

/// Runs a command that may take minutes.
command_result run_long(const server& service,
                        const std::vector<std::string>& args);

/// Writes a file.
void write_file(const std::filesystem::path& path, const std::string& text);

/// Returns the line that an import ends with.
std::string import_summary(int64_t imported, int64_t present, int64_t refused,
                           int64_t clicks);

} // namespace turnout::test
