#include "tests/api/harness/session.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

using namespace turnout::test;
using testing::HasSubstr;
using testing::Not;

// That secrets are in no file either is shown by privacy_test.

namespace {

/// Sends secrets on every way they come in, right and wrong, and looks for them
/// where others read: the log, the metrics, answers that refuse.
class secrets_test : public session_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_LOG_LEVEL", "debug"},
            {"TURNOUT_AUTH_ANON_KEY", anon_key}};
  }

  /// Sends a request that is refused and keeps what came back.
  void refused(const std::string& method, const std::string& path,
               const header_list& headers = {}, const std::string& body = {}) {
    auto answer = send(method, path, headers, body);
    EXPECT_GE(answer.status, 400) << method << ' ' << path;
    refusals += answer.body;
    for (auto& [name, value] : answer.headers)
      refusals += name + ": " + value + '\n';
  }

  std::string metrics_text() {
    http_client client{service->operator_origin()};
    return client.send("GET", "/metrics").body
           + client.send("GET", "/readyz").body
           + client.send("GET", "/healthz").body;
  }

  void expect_told_nowhere(const std::set<std::string>& secrets) {
    const std::map<std::string, std::string> places{
      {"the log", service->errors()},
      {"the metrics", metrics_text()},
      {"an answer", refusals}};
    for (auto& [name, content] : places) {
      EXPECT_GT(content.size(), 100u) << name << " says nothing at all";
      for (auto& secret : secrets) {
        ASSERT_GE(secret.size(), 8u);
        EXPECT_EQ(content.find(secret), std::string::npos)
          << "'" << secret << "' stands in " << name << ":\n"
          << content;
      }
    }
  }

  static inline const std::string anon_key = "anon-Zq7mWx2LkP9v";
  std::string refusals;
};

/// What a key says beside its kind and the letters that lists show.
std::string random_part(const std::string& key) {
  return key.substr(key.rfind('_') + 5);
}

class jwt_secret_test : public secrets_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_LOG_LEVEL", "debug"},
            {"TURNOUT_AUTH_JWT_SECRET", secret}};
  }

  static inline const std::string secret = "jwt-Secret-0Ynd83hGq1LmT5";
};

} // namespace

TEST_F(secrets_test, are_in_no_log_metric_or_refusal) {
  const header_list anon{{"apikey", anon_key}};
  const std::string wrong_password = "wrong-Password-51cXy";
  const std::string wrong_anon = "wrong-anon-8Hq2ZtLp";
  const std::string wrong_refresh = "wrong-refresh-token-4KxWq9";
  const auto wrong_key = "svc_sk_" + std::string(20, 'w') + "RONGk3y9Qm2X";
  // Good ones, so that there is something to hide.
  auto signed_in = sign_in(user_email, user_password, anon);
  ASSERT_EQ(signed_in.status, 200) << signed_in.body;
  const auto token = text(signed_in.json(), "access_token");
  const auto refresh_token = text(signed_in.json(), "refresh_token");
  const header_list bearer{{"Authorization", "Bearer " + token}};
  auto made = send("POST", keys_path + "?name=n", bearer);
  ASSERT_EQ(made.status, 201) << made.body;
  const auto new_key = text(made.json(), "key");
  const auto publishable = service->make_key(owner_email, "publishable");
  auto link = make_split();
  ASSERT_EQ(visit(text(link, "slug")).status, 302);
  ASSERT_EQ(call_as(new_key, "GET", links_path).status, 200);
  // Each secret where it belongs but refused, and where it does not belong.
  const auto sign_in_body = [&](const std::string& password) {
    return json::serialize(
      json::object{{"email", user_email}, {"password", password}});
  };
  refused("POST", token_path + "?grant_type=password", anon,
          sign_in_body(wrong_password));
  refused("POST", token_path + "?grant_type=password", {{"apikey", wrong_anon}},
          sign_in_body(user_password));
  refused("POST", token_path + "?grant_type=password", anon,
          sign_in_body(user_password).substr(1));
  refused("POST", token_path + "?grant_type=" + wrong_password, anon);
  refused("POST", token_path + "?grant_type=refresh_token", anon,
          json::serialize(json::object{{"refresh_token", wrong_refresh}}));
  const auto fresh
    = send("POST", token_path + "?grant_type=refresh_token", anon,
           json::serialize(json::object{{"refresh_token", refresh_token}}));
  ASSERT_EQ(fresh.status, 200);
  const auto second_refresh = text(fresh.json(), "refresh_token");
  // Used twice: an attack that must be told without its means.
  refused("POST", token_path + "?grant_type=refresh_token", anon,
          json::serialize(json::object{{"refresh_token", refresh_token}}));
  std::set<std::string> secrets{anon_key,       wrong_anon,    user_password,
                                wrong_password, wrong_refresh, refresh_token,
                                second_refresh};
  for (auto& key : {secret_key, new_key, publishable, wrong_key}) {
    secrets.insert(random_part(key));
    refused("GET", "/" + key);
    refused("GET", links_path + "/" + key, {{"X-API-Key", key}});
    refused("GET", links_path + "?key=" + key);
    refused("PATCH", links_path, {{"X-API-Key", key}});
    refused("POST", links_path, {{"X-API-Key", key}}, "{\"name\":\"" + key);
    refused("GET", links_path + "?page=" + key, {{"X-API-Key", key}});
    refused("GET", keys_path, {{"Authorization", "Bearer " + key}});
    refused("DELETE", keys_path + "/" + key, bearer);
    refused("GET", links_path,
            {{"X-API-Key", key}, {"X-Long", std::string(100'000, 'x')}});
  }
  for (auto& jwt : {token, text(fresh.json(), "access_token")}) {
    // Its three parts: the first is the same for all.
    const auto dot = jwt.find('.');
    secrets.insert(jwt.substr(dot + 1, jwt.rfind('.') - dot - 1));
    secrets.insert(jwt.substr(jwt.rfind('.') + 1));
    refused("GET", links_path, {{"X-API-Key", jwt}});
    refused("GET", keys_path, {{"Authorization", "Basic " + jwt}});
    refused("GET", keys_path, {{"Authorization", "Bearer " + jwt + "x"}});
    refused("GET", keys_path + "?access_token=" + jwt);
    refused("DELETE", keys_path + "/" + unknown_id,
            {{"Authorization", "Bearer " + jwt}});
  }
  // Key of the file that signs sessions.
  const auto file = read_file(service->data_dir() / "session_secret");
  ASSERT_GE(file.size(), 32u);
  secrets.insert(file.substr(0, file.find('\n')));
  settle();
  expect_told_nowhere(secrets);
  service->restart();
  expect_told_nowhere(secrets);
}

TEST_F(jwt_secret_test, is_told_nowhere) {
  refused("GET", keys_path, {{"Authorization", "Bearer " + secret}});
  refused("GET", keys_path, {{"Authorization", "Bearer a.b." + secret}});
  service->configure("[slug]\nlength = 9\n");
  service->restart();
  service->configure("[auth]\njwt_secret = \"" + secret + "\"\nx = 1\n");
  service->child().signal(SIGHUP);
  ASSERT_TRUE(eventually([&] {
    return service->errors().find("settings not reloaded") != std::string::npos;
  }));
  EXPECT_THAT(service->errors(), HasSubstr("unknown setting auth.x"));
  expect_told_nowhere({secret});
}

TEST(store_password_test, no_command_tells_the_password_of_the_store) {
  const std::string secret = "dsn-Passw0rd";
  temporary_directory dir;
  const std::vector<std::string> dsns{
    "postgresql://turnout:" + secret + "@127.0.0.1:1/turnout",
    "postgresql://turnout@127.0.0.1:1/turnout?password=" + secret,
    "host=127.0.0.1 port=1 user=turnout password=" + secret,
    // Mistakes that parsers like to quote.
    "host=127.0.0.1 port=1 password=x " + secret,
    "postgresql://turnout:" + secret + "@127.0.0.1:no/turnout",
    "postgresql://turnout:" + secret + "@127.0.0.1:1/turnout?nonsense=1",
    "postgresql://turnout:" + secret + "@[::1/turnout"};
  for (auto& dsn : dsns)
    for (auto& command : {"serve", "migrate", "verify"}) {
      auto result = run_command(
        {binary(), command, "--data-dir", (dir.path() / "data").string(),
         "--storage", "postgresql"},
        {{"TURNOUT_STORAGE_DSN", dsn}, {"TURNOUT_LOG_LEVEL", "debug"}});
      EXPECT_EQ(result.status, 1) << dsn;
      EXPECT_FALSE(result.err.empty());
      EXPECT_THAT(result.out + result.err, Not(HasSubstr(secret)));
    }
  for (auto& dsn : dsns) {
    if (dsn.find("password=x") != std::string::npos)
      continue; // nobody can know that the rest is one
    auto result = run_command({binary(), "check-config"},
                              {{"TURNOUT_STORAGE_DSN", dsn},
                               {"TURNOUT_AUTH_JWT_SECRET", secret},
                               {"TURNOUT_AUTH_ANON_KEY", secret}});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("auth.jwt_secret = \"***\""));
    EXPECT_THAT(result.out, HasSubstr("auth.anon_key = \"***\""));
    EXPECT_THAT(result.out + result.err, Not(HasSubstr(secret)));
  }
}

namespace {

/// Starts a program that may dump its core, sends it SIGABRT when it writes its
/// first line on stdout, and returns how it ended.
int status_of_abort(const std::vector<std::string>& args,
                    const std::filesystem::path& dir) {
  int out[2];
  if (::pipe(out) != 0)
    return -1;
  std::vector<char*> argv;
  auto copy = args;
  for (auto& x : copy)
    argv.push_back(x.data());
  argv.push_back(nullptr);
  const auto child = ::fork();
  if (child == 0) {
    rlimit all{};
    ::getrlimit(RLIMIT_CORE, &all);
    all.rlim_cur = all.rlim_max;
    ::setrlimit(RLIMIT_CORE, &all);
    if (::chdir(dir.c_str()) != 0)
      ::_exit(127);
    ::dup2(out[1], 1);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(out[1]);
  char byte = 0;
  [[maybe_unused]] auto n = ::read(out[0], &byte, 1);
  ::kill(child, SIGABRT);
  int status = -1;
  ::waitpid(child, &status, 0);
  ::close(out[0]);
  return status;
}

} // namespace

TEST(core_dump_test, there_is_none) {
  temporary_directory dir;
  // Another program leaves one here, or the test would show nothing; systems
  // that keep all programs from it need not show it.
  const auto other
    = status_of_abort({"/bin/sh", "-c", "echo; exec sleep 60"}, dir.path());
  ASSERT_TRUE(WIFSIGNALED(other));
  if (!WCOREDUMP(other))
    GTEST_SKIP() << "no program leaves a core dump on this system";
  const auto status = status_of_abort(
    {binary(), "serve", "--data-dir", (dir.path() / "data").string(),
     "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0"},
    dir.path());
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
  EXPECT_FALSE(WCOREDUMP(status));
}

TEST_F(secrets_test, the_process_may_not_dump_its_memory) {
  const auto limits
    = read_file("/proc/" + std::to_string(service->child().pid()) + "/limits");
  EXPECT_THAT(limits,
              testing::ContainsRegex("Max core file size +0 +0 +bytes"));
}
