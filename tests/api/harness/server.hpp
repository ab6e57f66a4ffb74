#pragma once

#include "tests/api/harness/process.hpp"
#include "tests/postgresql/postgresql.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace turnout::test {

/// Returns the path of the binary under test: TURNOUT_TEST_BINARY if set, else
/// the one this build made.
std::string binary();

/// Returns the name of the storage plugin under test: TURNOUT_TEST_STORAGE if
/// set, else "sqlite".
std::string storage_plugin();

/// The service under test: the real binary on a data directory of its own and
/// free ports.
class server {
public:
  /// @param settings environment variables on top of those that suit tests.
  explicit server(environment settings = {});

  /// Starts it and waits for its line "listening"; throws with what it wrote
  /// when the line does not come.
  void start();

  /// Ends it with SIGTERM and returns its exit code; throws when it still runs
  /// after 10 s.
  int stop();

  /// Ends it with SIGKILL.
  void kill();

  /// Stops it (throws unless it exits with 0) and starts it again.
  void restart();

  /// Changes settings for the next start.
  void set(const std::string& name, const std::string& value);

  /// Writes the configuration file, as a whole and at once, which the service
  /// reads from the next start on; nothing else sets rate_limit.per_hour then.
  void configure(const std::string& toml);

  /// Runs another command of the binary on the same store.
  command_result run(const std::vector<std::string>& args,
                     const std::optional<std::string>& input
                     = std::nullopt) const;

  /// Returns the command line of another command of the binary on the same
  /// store.
  std::vector<std::string>
  arguments(const std::vector<std::string>& args) const;

  /// Makes an account and returns its id.
  std::string add_user(const std::string& email);

  /// Makes an API key with the command line and returns it.
  std::string make_key(const std::string& email,
                       const std::string& type = "secret",
                       const std::string& name = "test");

  process& child() {
    return *x_child;
  }

  /// "http://127.0.0.1:PORT" of the public listener.
  const std::string& origin() const noexcept {
    return x_origin;
  }

  const std::string& operator_origin() const noexcept {
    return x_operator_origin;
  }

  uint16_t port() const;

  uint16_t operator_port() const;

  /// The store of the plugin "postgresql"; throws with another one.
  postgresql_database& database();

  const std::filesystem::path& data_dir() const noexcept {
    return x_data_dir;
  }

  /// Everything that the runs so far wrote on stdout.
  std::string output() const;

  /// Everything that the runs so far wrote on stderr.
  std::string errors() const;

private:
  environment x_env;
  /// Empty for none.
  std::filesystem::path x_config;
  temporary_directory x_dir;
  /// The store, if the plugin under test is "postgresql".
  std::unique_ptr<postgresql_database> x_database;
  std::filesystem::path x_data_dir;
  std::unique_ptr<process> x_child;
  std::string x_origin;
  std::string x_operator_origin;
};

} // namespace turnout::test
