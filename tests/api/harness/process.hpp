#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace turnout::test {

/// Environment variables by name.
using environment = std::map<std::string, std::string>;

/// A child process whose output goes to files. It is killed when the object
/// goes, or when the test program dies.
class process {
public:
  /// Starts `argv[0]`. The child inherits the environment without TURNOUT_*
  /// variables, with `env` on top.
  process(const std::vector<std::string>& argv, const environment& env,
          const std::filesystem::path& out, const std::filesystem::path& err,
          const std::optional<std::string>& input = std::nullopt);

  process(const process&) = delete;
  process& operator=(const process&) = delete;

  ~process();

  pid_t pid() const noexcept {
    return x_pid;
  }

  void signal(int number) const;

  /// Waits until the process has ended and returns its exit code, or minus the
  /// number of the signal that ended it; nullopt when it still runs after
  /// `bound`.
  std::optional<int> wait(std::chrono::milliseconds bound);

  /// Returns whether the process still runs.
  bool running();

private:
  pid_t x_pid;
  std::optional<int> x_status;
};

/// What a finished command left.
struct command_result {
  /// -1000 when it did not end in time.
  int status;
  std::string out;
  std::string err;
};

/// Runs a command to its end, at most 60 s.
command_result
run_command(const std::vector<std::string>& argv, const environment& env,
            const std::optional<std::string>& input = std::nullopt);

/// Returns the content of a file, empty if there is none.
std::string read_file(const std::filesystem::path& path);

/// A directory of its own, removed with everything in it at the end.
class temporary_directory {
public:
  temporary_directory();

  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;

  ~temporary_directory();

  const std::filesystem::path& path() const noexcept {
    return x_path;
  }

private:
  std::filesystem::path x_path;
};

} // namespace turnout::test
