#include "tests/api/harness/api_test.hpp"

#include <algorithm>
#include <fstream>

using namespace turnout::test;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

namespace {

/// Commands that need no running service.
class command_line_test : public testing::Test {
protected:
  command_result run(std::vector<std::string> args,
                     const environment& env = {}) {
    args.insert(args.begin(), binary());
    return run_command(args, env);
  }

  std::string data_dir() const {
    return (x_dir.path() / "data").string();
  }

  std::string write(const std::string& name, const std::string& content) {
    auto path = x_dir.path() / name;
    std::ofstream{path} << content;
    return path.string();
  }

private:
  temporary_directory x_dir;
};

/// Commands beside a running service.
class commands_test : public api_test {};

void expect_error_line(const command_result& x, int status,
                       const std::string& word = {}) {
  EXPECT_EQ(x.status, status) << x.out << x.err;
  EXPECT_THAT(x.out, IsEmpty());
  EXPECT_THAT(x.err, HasSubstr(word));
  EXPECT_EQ(std::count(x.err.begin(), x.err.end(), '\n'), 1) << x.err;
}

} // namespace

TEST_F(command_line_test, help_on_every_level) {
  std::vector<std::vector<std::string>> levels{{},
                                               {"serve"},
                                               {"user"},
                                               {"user", "add"},
                                               {"key"},
                                               {"user", "list"},
                                               {"key", "create"},
                                               {"migrate"},
                                               {"verify"},
                                               {"purge"},
                                               {"import"},
                                               {"export"},
                                               {"backup"},
                                               {"reference"},
                                               {"check-config"},
                                               {"user", "api-access"},
                                               {"user", "rate-limit"}};
  for (auto args : levels) {
    args.push_back("--help");
    auto result = run(args);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("--help"));
    EXPECT_THAT(result.err, IsEmpty());
  }
  auto top = run({"--help"}).out;
  for (auto command : {"serve", "user", "key", "migrate", "check-config",
                       "verify", "purge", "import", "export", "backup"})
    EXPECT_THAT(top, HasSubstr(command));
}

TEST_F(command_line_test, version) {
  auto result = run({"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr(TURNOUT_VERSION));
}

TEST_F(command_line_test, wrong_usage_is_2) {
  std::vector<std::vector<std::string>> wrong{
    {},
    {"frobnicate"},
    {"serve", "--frobnicate"},
    {"serve", "extra"},
    {"serve", "--listen"},
    {"user"},
    {"user", "frobnicate"},
    {"user", "add"},
    {"key", "create", "--email", "a@example.com"},
    {"key", "create", "--email", "a@example.com", "--name", "n", "--type",
     "frob"},
    {"user", "api-access", "a@example.com", "perhaps"},
    {"user", "rate-limit", "a@example.com", "many"},
    {"backup"},
    {"reference", "frobnicate"}};
  for (auto& args : wrong) {
    SCOPED_TRACE(testing::PrintToString(args));
    expect_error_line(run(args), 2);
  }
}

TEST_F(command_line_test, check_config_prints_the_settings) {
  auto result = run({"check-config", "--data-dir", data_dir()});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("127.0.0.1:8080"));
  EXPECT_THAT(result.out, HasSubstr("127.0.0.1:9464"));
}

TEST_F(command_line_test, settings_from_file_environment_and_options) {
  auto file = write("t.toml", "[http]\nlisten = \"127.0.0.1:1111\"\n"
                              "operator_listen = \"127.0.0.1:2222\"\n"
                              "[redirect]\nsticky = false\n");
  auto result
    = run({"check-config", "--config", file, "--listen", "127.0.0.1:3333"},
          {{"TURNOUT_HTTP_OPERATOR_LISTEN", "127.0.0.1:4444"},
           {"TURNOUT_HTTP_LISTEN", "127.0.0.1:5555"}});
  EXPECT_EQ(result.status, 0) << result.err;
  for (auto there : {"127.0.0.1:3333", "127.0.0.1:4444"})
    EXPECT_THAT(result.out, HasSubstr(there));
  for (auto gone : {"127.0.0.1:1111", "127.0.0.1:2222", "127.0.0.1:5555"})
    EXPECT_THAT(result.out, Not(HasSubstr(gone)));
}

TEST_F(command_line_test, wrong_settings_are_named) {
  auto check = [&](const environment& env, const std::string& word) {
    auto result = run({"check-config"}, env);
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.err, HasSubstr(word));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
  };
  check({{"TURNOUT_SLUG_LENGTH", "99"}}, "length");
  check({{"TURNOUT_SLUG_LENGTH", "seven"}}, "length");
  check({{"TURNOUT_REDIRECT_STICKY", "perhaps"}}, "sticky");
  check({{"TURNOUT_HTTP_LISTEN", "nowhere"}}, "listen");
  check({{"TURNOUT_HTTP_TRUSTED_PROXIES", "junk"}}, "trusted_proxies");
  check({{"TURNOUT_LOG_LEVEL", "loud"}}, "level");
  auto broken = write("broken.toml", "[http\n");
  auto result = run({"check-config", "--config", broken});
  EXPECT_NE(result.status, 0);
  EXPECT_THAT(result.err, Not(IsEmpty()));
  result = run({"check-config", "--config", "/nonexistent/t.toml"});
  EXPECT_NE(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("/nonexistent/t.toml"));
}

TEST_F(command_line_test, a_service_with_wrong_settings_does_not_start) {
  auto result = run({"serve", "--data-dir", data_dir(), "--listen", "nowhere"});
  EXPECT_NE(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("nowhere"));
  result = run({"serve", "--data-dir", data_dir(), "--storage", "frob",
                "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("frob"));
}

TEST_F(command_line_test, migrate_makes_a_store_that_verifies) {
  server service;
  auto result = service.run({"migrate"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(service.run({"migrate"}).status, 0) << "again";
  result = service.run({"verify"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(service.add_user("a@example.com"), is_uuid());
}

TEST_F(commands_test, the_first_start_prints_an_account_once) {
  auto first = service->output();
  EXPECT_THAT(first, HasSubstr("admin@localhost"));
  auto pos = first.find("svc_sk_");
  ASSERT_NE(pos, std::string::npos);
  auto key = first.substr(pos, 39);
  EXPECT_EQ(call_as(key, "GET", links_path).status, 200);
  service->restart();
  auto later = service->output().substr(first.size());
  EXPECT_THAT(later, Not(HasSubstr("admin@localhost")));
  EXPECT_THAT(later, Not(HasSubstr("svc_sk_")));
  EXPECT_EQ(call_as(key, "GET", links_path).status, 200);
}

TEST_F(commands_test, user_add) {
  auto result = service->run({"user", "add", "--email", "new@example.com"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out.back(), '\n');
  EXPECT_THAT(result.out.substr(0, result.out.size() - 1), is_uuid());
  result = service->run({"user", "add", "--email", "new@example.com"});
  expect_error_line(result, 1);
  std::string id = "01890000-0000-7000-8000-0123456789ab";
  result = service->run({"user", "add", "--email", "id@example.com", "--id", id,
                         "--password-stdin"},
                        "a long enough password\n");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, id + "\n");
  EXPECT_NE(
    service->run({"user", "add", "--email", "x@example.com", "--id", "junk"})
      .status,
    0);
  result = service->run({"user", "list"});
  EXPECT_EQ(result.status, 0);
  for (auto word : {"admin@localhost", "owner@example.com", "new@example.com",
                    "id@example.com"})
    EXPECT_THAT(result.out, HasSubstr(word));
  EXPECT_THAT(result.out, Not(HasSubstr("argon2")));
}

TEST_F(commands_test, key_create) {
  std::map<std::string, std::string> kinds{
    {"secret", "svc_sk_"}, {"publishable", "svc_pk_"}, {"live", "svc_live_"}};
  for (auto& [type, prefix] : kinds) {
    auto result = service->run(
      {"key", "create", "--email", owner_email, "--name", "n", "--type", type});
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.out, MatchesRegex(prefix + "[A-Za-z0-9]{32}\n"));
  }
  auto untyped
    = service->run({"key", "create", "--email", owner_email, "--name", "n"});
  EXPECT_THAT(untyped.out, MatchesRegex("svc_sk_[A-Za-z0-9]{32}\n"));
  expect_error_line(service->run({"key", "create", "--email",
                                  "nobody@example.com", "--name", "n"}),
                    1, "nobody@example.com");
}

TEST_F(commands_test, key_import) {
  auto key = "svc_live_" + std::string(16, 'a') + std::string(16, '7');
  auto result = service->run({"key", "create", "--email", owner_email, "--name",
                              "old", "--type", "live", "--key", key});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, key + "\n");
  EXPECT_TRUE(
    eventually([&] { return call_as(key, "GET", links_path).status == 200; }));
  EXPECT_EQ(service
              ->run({"key", "create", "--email", owner_email, "--name", "again",
                     "--type", "live", "--key", key})
              .status,
            1);
  EXPECT_NE(service
              ->run({"key", "create", "--email", owner_email, "--name", "junk",
                     "--key", "not a key"})
              .status,
            0);
}

TEST_F(commands_test, a_key_keeps_its_kind) {
  auto key = "svc_pk_" + std::string(32, 'b');
  expect_error_line(
    service->run({"key", "create", "--email", owner_email, "--name", "n",
                  "--type", "secret", "--key", key}),
    1, "--type");
  auto result = service->run(
    {"key", "create", "--email", owner_id, "--name", "n", "--key", key});
  EXPECT_EQ(result.out, key + "\n") << result.err;
}

TEST_F(commands_test, a_second_service_on_the_same_data_is_refused) {
  auto result = service->run(
    {"serve", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, Not(HasSubstr("listening")));
  EXPECT_THAT(result.err, Not(IsEmpty()));
  EXPECT_EQ(get(links_path).status, 200);
}

TEST_F(commands_test, a_taken_port_is_refused) {
  server other;
  auto result = other.run({"serve", "--listen",
                           "127.0.0.1:" + std::to_string(service->port()),
                           "--operator-listen", "127.0.0.1:0"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr(std::to_string(service->port())));
  EXPECT_EQ(get(links_path).status, 200);
}

TEST_F(commands_test, stop_signals_exit_with_0) {
  EXPECT_EQ(service->stop(), 0);
  service->start();
  service->child().signal(2); // SIGINT
  auto status = service->child().wait(std::chrono::seconds{10});
  ASSERT_TRUE(status);
  EXPECT_EQ(*status, 0);
}

TEST_F(commands_test, purge_takes_a_day_that_has_begun) {
  auto purge = [&](const std::string& before) {
    return service->run({"purge", "--before", before});
  };
  for (auto& value : {std::string{"yesterday"}, std::string{"2026-02-30"},
                      std::string{"2026-01-01T00:00:00Z"}, day(1)}) {
    auto result = purge(value);
    EXPECT_EQ(result.status, 2) << value;
    EXPECT_THAT(result.err, HasSubstr("--before"));
  }
  EXPECT_EQ(service->run({"purge"}).status, 2);
  // Clicks of today stay.
  auto link = make_split();
  visit(text(link, "slug"));
  expect_counts(link, 1);
  auto result = purge(day());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("0 clicks"));
  EXPECT_EQ(clicks(link).at("items").as_array().size(), 1u);
}

TEST_F(commands_test, verify_while_it_runs) {
  auto link = make_split();
  visit_many(text(link, "slug"), 20);
  expect_counts(link, 20);
  auto result = service->run({"verify"});
  EXPECT_EQ(result.status, 0) << result.out << result.err;
}
