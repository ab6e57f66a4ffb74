#include "app/command_line.hpp"

#include "app/accounts.hpp"
#include "app/limits.hpp"
#include "app/output.hpp"
#include "app/reference.hpp"
#include "app/serve.hpp"
#include "app/transfer.hpp"
#include "app/upkeep.hpp"
#include "app/version.hpp"
#include "config/loader.hpp"
#include "monitoring/log.hpp"

#include <CLI/CLI.hpp>
#include <sys/stat.h>

#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace turnout::app {

namespace {

/// Options that every command takes, as settings by name.
struct common_options {
  std::string file;
  std::vector<std::pair<std::string, std::string>> overrides;
};

void add_setting(CLI::App* cmd, common_options& common, const char* option,
                 const char* setting, const char* help) {
  cmd->add_option_function<std::string>(
    option,
    [&common, setting](const std::string& value) {
      common.overrides.emplace_back(setting, value);
    },
    help);
}

void add_storage_options(CLI::App* cmd, common_options& common) {
  cmd->add_option("--config", common.file, "TOML file with settings");
  add_setting(cmd, common, "--data-dir", "data_dir",
              "Directory for data (default ./data)");
  add_setting(cmd, common, "--storage", "storage.plugin",
              "Storage plugin: sqlite (default) or postgresql");
  add_setting(cmd, common, "--dsn", "storage.dsn",
              "Connection string of the store");
}

void add_serve_options(CLI::App* cmd, common_options& common) {
  add_setting(cmd, common, "--listen", "http.listen",
              "Public address and port (default 127.0.0.1:8080)");
  add_setting(cmd, common, "--operator-listen", "http.operator_listen",
              "Operator address and port (default 127.0.0.1:9464)");
  add_setting(cmd, common, "--base-url", "http.base_url",
              "Address of the API, ends in /api/v1");
  add_setting(cmd, common, "--short-base", "http.short_base",
              "Address of the short links");
}

config::sources sources_of(const common_options& common) {
  config::sources result;
  result.file = common.file;
  result.environment = config::process_environment();
  result.overrides = common.overrides;
  return result;
}

std::string version_line() {
  auto result = std::string{"turnout "} + version();
  if (*commit() != '\0')
    result += std::string{" ("} + commit() + ')';
  return result;
}

/// Loads the settings and hands them to a command.
int with_settings(const common_options& common,
                  const std::function<int(const config::loaded&)>& command) {
  auto loaded = config::load(sources_of(common));
  if (!loaded)
    return fail(loaded.error());
  log::set_level(loaded->values.log.level);
  for (const auto& warning : loaded->warnings)
    log::warning(warning);
  return command(*loaded);
}

} // namespace

int run(int argc, char** argv) {
  // Data, journal and keys are for their owner only.
  umask(S_IRWXG | S_IRWXO);
  forbid_core_dumps();
  CLI::App cli{"Turnout: split-test short links with honest analytics."};
  cli.name("turnout");
  cli.set_version_flag("--version", version_line());
  cli.require_subcommand(1);
  common_options common;
  std::function<int(const config::loaded&)> command;
  const auto add = [&](CLI::App* parent, const char* name, const char* help,
                       std::function<int(const config::loaded&)> run) {
    auto* cmd = parent->add_subcommand(name, help);
    add_storage_options(cmd, common);
    cmd->callback([&command, run = std::move(run)] { command = run; });
    return cmd;
  };
  const auto add_plain = [&](CLI::App* parent, const char* name,
                             const char* help, int (*run)(const settings&)) {
    return add(parent, name, help,
               [run](const config::loaded& x) { return run(x.values); });
  };

  auto* serving = add(&cli, "serve", "Run the service in the foreground",
                      [&](const config::loaded& x) {
                        return serve(x.values, sources_of(common));
                      });
  add_serve_options(serving, common);

  auto* user = cli.add_subcommand("user", "Built-in accounts");
  user->require_subcommand(1);
  new_user user_to_add;
  auto* user_add = add(
    user, "add", "Add an account and print its id",
    [&](const config::loaded& x) { return add_user(x.values, user_to_add); });
  user_add->add_option("--email", user_to_add.email, "E-mail address")
    ->required();
  user_add->add_flag("--password-stdin", user_to_add.password_from_stdin,
                     "Read the password from standard input; without it one "
                     "is made and shown on standard error");
  user_add->add_option("--id", user_to_add.id, "UUID to use as id");
  add_plain(user, "list", "List accounts", list_users);
  std::string email;
  std::string access;
  auto* api_access
    = add(user, "api-access", "Switch API access on or off",
          [&](const config::loaded& x) {
            return set_api_access(x.values, email, access == "on");
          });
  api_access->add_option("email", email, "E-mail address, or id")->required();
  api_access->add_option("access", access, "on or off")
    ->required()
    ->check(CLI::IsMember({"on", "off"}));
  int limit = 0;
  auto* rate_limit
    = add(user, "rate-limit", "Set the API requests per hour of an account",
          [&](const config::loaded& x) {
            return set_rate_limit(x.values, email, limit);
          });
  rate_limit->add_option("email", email, "E-mail address, or id")->required();
  rate_limit->add_option("limit", limit, "Requests per hour")
    ->required()
    ->check(CLI::Range(0, 1'000'000'000));

  auto* key = cli.add_subcommand("key", "API keys");
  key->require_subcommand(1);
  new_key key_to_create;
  auto* create = add(key, "create", "Create a key and print it, once",
                     [&](const config::loaded& x) {
                       return create_key(x.values, key_to_create);
                     });
  create
    ->add_option("--email", key_to_create.email,
                 "Account, by e-mail address or id")
    ->required();
  create->add_option("--name", key_to_create.name, "Name of the key")
    ->required();
  create
    ->add_option("--type", key_to_create.type,
                 "Kind of key; without it that of --key, or secret")
    ->check(CLI::IsMember({"secret", "publishable", "live"}));
  create->add_option("--key", key_to_create.key, "Import an existing key");

  add_plain(&cli, "migrate", "Bring the store to the newest schema", migrate);
  bool repair = false;
  auto* check
    = add(&cli, "verify",
          "Recompute every total from the raw events; exit 1 when "
          "one differs",
          [&](const config::loaded& x) { return verify(x.values, repair); });
  check->add_flag("--repair", repair, "Write what was computed");
  std::string purge_before;
  auto* purging = add(
    &cli, "purge",
    "Delete the single clicks of old UTC days; every total stays",
    [&](const config::loaded& x) { return purge(x.values, purge_before); });
  purging
    ->add_option("--before", purge_before,
                 "The first day to keep, such as 2026-01-31")
    ->required();
  std::string backup_directory;
  auto* backing_up
    = add(&cli, "backup",
          "Copy the store (of sqlite), the journal and the secrets into a new "
          "directory, while the service runs",
          [&](const config::loaded& x) {
            return back_up(x.values, backup_directory);
          });
  backing_up
    ->add_option("directory", backup_directory,
                 "The directory to make; to restore, use it as the data "
                 "directory")
    ->required();
  import_request to_import;
  auto* importing = add(
    &cli, "import", "Import links of a file",
    [&](const config::loaded& x) { return import_links(x.values, to_import); });
  importing
    ->add_option("--format", to_import.format,
                 "What the file is: csv or jsonl as export writes them, or an "
                 "export of bitly, yourls, kutt or shlink")
    ->required()
    ->check(
      CLI::IsMember({"csv", "jsonl", "bitly", "yourls", "kutt", "shlink"}));
  importing
    ->add_option("file", to_import.file, "The file; - reads standard input")
    ->required();
  importing->add_option("--email", to_import.email,
                        "Account that gets the links, by e-mail address or id "
                        "(default the only account)");
  importing->add_flag("--dry-run", to_import.dry_run,
                      "Check everything, store nothing");
  add_setting(importing, common, "--short-base", "http.short_base",
              "Address of the short links, which no destination may have");
  export_request to_export;
  auto* exporting = add(
    &cli, "export", "Export the links of an account, or their clicks",
    [&](const config::loaded& x) { return export_links(x.values, to_export); });
  exporting->add_option("--format", to_export.format, "csv (default) or jsonl")
    ->check(CLI::IsMember({"csv", "jsonl"}));
  exporting->add_option("--what", to_export.what, "links (default) or clicks")
    ->check(CLI::IsMember({"links", "clicks"}));
  exporting->add_option("--email", to_export.email,
                        "Account, by e-mail address or id (default the only "
                        "account)");
  exporting->add_option("--output", to_export.output,
                        "File to write (default standard output)");
  auto* show
    = add(&cli, "check-config", "Print the settings in force, secrets masked",
          [](const config::loaded& x) {
            std::cout << config::describe(x);
            return static_cast<int>(done);
          });
  add_serve_options(show, common);
  std::string reference;
  add(&cli, "reference",
      "Print a manual page, or what completes this command line in bash",
      [&](const config::loaded&) {
        std::cout << (reference == "bash"  ? bash_completion(cli)
                      : reference == "man" ? command_manual(cli)
                                           : settings_manual());
        return static_cast<int>(done);
      })
    ->add_option("what", reference,
                 "man for turnout(1), toml for turnout.toml(5), bash for its "
                 "completion")
    ->required()
    ->check(CLI::IsMember({"man", "toml", "bash"}));

  try {
    cli.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return cli.exit(e);
  } catch (const CLI::ParseError& e) {
    std::cerr << "turnout: " << e.what() << "; see turnout --help\n";
    return wrong_usage;
  }
  return with_settings(common, command);
}

} // namespace turnout::app
