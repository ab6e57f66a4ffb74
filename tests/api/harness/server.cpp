#include "tests/api/harness/server.hpp"

#include "tests/api/harness/eventually.hpp"
#include "tests/api/harness/recorder.hpp"

#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <stdexcept>

namespace turnout::test {

namespace {

std::string variable(const char* name, const char* fallback) {
  auto value = std::getenv(name);
  return value != nullptr ? value : fallback;
}

uint16_t port_of(const std::string& origin) {
  return static_cast<uint16_t>(std::stoi(origin.substr(origin.rfind(':') + 1)));
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

} // namespace

std::string binary() {
  return variable("TURNOUT_TEST_BINARY", TURNOUT_BINARY);
}

std::string storage_plugin() {
  return variable("TURNOUT_TEST_STORAGE", "sqlite");
}

server::server(environment settings) : x_env(std::move(settings)) {
  x_data_dir = x_dir.path() / "data";
  if (storage_plugin() == "postgresql")
    x_database = std::make_unique<postgresql_database>();
  // Most tests ask until the counts are there: a short way into the store, and
  // a limit that they do not reach. Those who test either set their own.
  x_env.emplace("TURNOUT_JOURNAL_DRAIN_INTERVAL_MS", "50");
  x_env.emplace("TURNOUT_RATE_LIMIT_PER_HOUR", "1000000");
  if (auto geo = variable("TURNOUT_TEST_GEO_DATABASE", ""); !geo.empty())
    x_env.emplace("TURNOUT_GEO_DATABASE", geo);
}

void server::start() {
  auto argv = arguments(
    {"serve", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0"});
  if (!x_config.empty())
    argv.insert(argv.end(), {"--config", x_config.string()});
  auto out = x_dir.path() / "stdout";
  auto before = output().size();
  x_child
    = std::make_unique<process>(argv, x_env, out, x_dir.path() / "stderr");
  static const std::regex line{
    "listening public=(http://127\\.0\\.0\\.1:[0-9]+)"
    " operator=(http://127\\.0\\.0\\.1:[0-9]+)[^\n]*\n"};
  std::smatch found;
  std::string text;
  auto ready = [&] {
    text = output().substr(before);
    return std::regex_search(text, found, line);
  };
  eventually([&] { return ready() || !x_child->running(); });
  if (!ready())
    throw std::runtime_error("the server did not come up\nstdout: " + text
                             + "\nstderr: " + errors());
  x_origin = found[1];
  x_operator_origin = found[2];
  record_nothing_of(operator_port());
}

int server::stop() {
  x_child->signal(SIGTERM);
  auto status = x_child->wait(std::chrono::seconds{10});
  if (!status)
    throw std::runtime_error("the server still runs 10 s after SIGTERM");
  return *status;
}

void server::kill() {
  x_child->signal(SIGKILL);
  x_child->wait(patience);
}

void server::restart() {
  if (auto status = stop(); status != 0)
    throw std::runtime_error("the server exited with " + std::to_string(status)
                             + "\nstderr: " + errors());
  start();
}

postgresql_database& server::database() {
  if (x_database == nullptr)
    throw std::logic_error("the store is not a PostgreSQL database");
  return *x_database;
}

void server::set(const std::string& name, const std::string& value) {
  x_env[name] = value;
}

command_result server::run(const std::vector<std::string>& args,
                           const std::optional<std::string>& input) const {
  return run_command(arguments(args), x_env, input);
}

void server::configure(const std::string& toml) {
  x_config = x_dir.path() / "turnout.toml";
  const auto draft = x_dir.path() / "turnout.toml.new";
  std::ofstream{draft} << toml;
  std::filesystem::rename(draft, x_config);
  x_env.erase("TURNOUT_RATE_LIMIT_PER_HOUR");
}

std::string server::add_user(const std::string& email) {
  auto result = run({"user", "add", "--email", email});
  if (result.status != 0)
    throw std::runtime_error("user add failed: " + result.err);
  return first_line(result.out);
}

std::string server::make_key(const std::string& email, const std::string& type,
                             const std::string& name) {
  auto result
    = run({"key", "create", "--email", email, "--name", name, "--type", type});
  if (result.status != 0)
    throw std::runtime_error("key create failed: " + result.err);
  return first_line(result.out);
}

uint16_t server::port() const {
  return port_of(x_origin);
}

uint16_t server::operator_port() const {
  return port_of(x_operator_origin);
}

std::string server::output() const {
  return read_file(x_dir.path() / "stdout");
}

std::string server::errors() const {
  return read_file(x_dir.path() / "stderr");
}

std::vector<std::string>
server::arguments(const std::vector<std::string>& args) const {
  std::vector<std::string> result{binary()};
  result.insert(result.end(), args.begin(), args.end());
  result.insert(result.end(), {"--data-dir", x_data_dir.string(), "--storage",
                               storage_plugin()});
  if (x_database != nullptr)
    result.insert(result.end(), {"--dsn", x_database->dsn()});
  return result;
}

} // namespace turnout::test
