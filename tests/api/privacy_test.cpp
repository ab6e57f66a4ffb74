#include "tests/api/harness/api_test.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <set>

using namespace turnout::test;
using testing::HasSubstr;
using testing::Not;

namespace {

class privacy_test : public api_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_LOG_LEVEL", "debug"}};
  }

  /// Everything that the service keeps or tells: its files, its output and its
  /// metrics.
  std::map<std::string, std::string> everything() {
    std::map<std::string, std::string> result;
    for (auto& entry :
         std::filesystem::recursive_directory_iterator{service->data_dir()})
      if (entry.is_regular_file())
        result[entry.path().filename().string()] = read_file(entry.path());
    result["stdout"] = service->output();
    result["stderr"] = service->errors();
    http_client client{service->operator_origin()};
    result["metrics"] = client.send("GET", "/metrics").body;
    return result;
  }

  void expect_nowhere(const std::string& secret) {
    auto files = everything();
    // The database, the journals, the output: the search must search something.
    EXPECT_GE(files.size(), 5u);
    for (auto& [name, content] : files)
      EXPECT_EQ(content.find(secret), std::string::npos)
        << "'" << secret << "' stands in " << name;
  }
};

} // namespace

TEST_F(privacy_test, case_85_keys_are_kept_nowhere) {
  auto imported = "svc_live_" + std::string{"abcdefgh12345678ABCDEFGH87654321"};
  ASSERT_EQ(service
              ->run({"key", "create", "--email", owner_email, "--name", "n",
                     "--type", "live", "--key", imported})
              .status,
            0);
  ASSERT_TRUE(eventually(
    [&] { return call_as(imported, "GET", links_path).status == 200; }));
  // One that is refused should not be kept either.
  auto refused = "svc_sk_" + std::string(16, 'R') + std::string(16, 'x');
  EXPECT_EQ(call_as(refused, "GET", links_path).status, 401);
  make_split();
  settle();
  for (auto& key : {secret_key, imported, refused}) {
    auto random = key.substr(key.rfind('_') + 1);
    ASSERT_EQ(random.size(), 32u);
    expect_nowhere(random);
  }
  service->restart();
  expect_nowhere(secret_key.substr(7));
}

TEST_F(privacy_test, passwords_are_kept_nowhere) {
  std::string password = "correct-horse-battery-staple-9";
  ASSERT_EQ(
    service
      ->run({"user", "add", "--email", "p@example.com", "--password-stdin"},
            password + "\n")
      .status,
    0);
  expect_nowhere(password);
}

TEST_F(privacy_test, case_65_no_full_address_is_kept) {
  auto link = make_split();
  auto slug = text(link, "slug");
  const std::string v4 = "193.0.6.139";
  const std::string v6 = "2003:0:1:2:3:4:5:6";
  for (auto& address : {v4, v6}) {
    auto answer = visit(slug, {{"X-Forwarded-For", address}});
    ASSERT_EQ(answer.status, 302);
    send("GET", "/c/" + text(link, "id") + ".gif",
         {{"X-Forwarded-For", address}, {"User-Agent", browser}});
    visit(slug,
          {{"X-Forwarded-For", address}, {"User-Agent", "Twitterbot/1.0"}});
    visit("unknown-1", {{"X-Forwarded-For", address}});
    send("GET", links_path,
         {{"X-Forwarded-For", address}, {"X-API-Key", "svc_sk_x"}});
  }
  expect_counts(link, 2, 2);
  expect_nowhere(v4);
  expect_nowhere(v6);
  expect_nowhere("2003:0:1:2");
  // The IPv6 address as its 16 bytes.
  expect_nowhere(std::string("\x20\x03\x00\x00\x00\x01\x00\x02"
                             "\x00\x03\x00\x04\x00\x05\x00\x06",
                             16));
  for (auto& rest : {"", "/analytics", "/analytics/winner", "/clicks"}) {
    auto body = get(path_of(link, rest)).body;
    EXPECT_THAT(body, Not(HasSubstr(v4)));
    EXPECT_THAT(body, Not(HasSubstr("2003:0:1:2")));
  }
}

TEST_F(privacy_test, the_cookie_tells_nothing_of_others) {
  auto link = make_split();
  auto other = make_split();
  auto answer = visit(text(link, "slug"));
  auto cookie = answer.header("set-cookie");
  EXPECT_THAT(cookie, Not(HasSubstr(text(other, "id"))));
  EXPECT_THAT(cookie, Not(HasSubstr("http")));
  EXPECT_THAT(cookie, Not(HasSubstr("127.0.0")));
}

TEST_F(privacy_test, the_data_directory_is_for_its_owner_only) {
  // Whatever the one who starts the service lets others do.
  const auto previous = umask(0);
  service->restart();
  umask(previous);
  visit_many(text(make_split(), "slug"), 3);
  settle();
  using std::filesystem::perms;
  const auto dir = service->data_dir();
  EXPECT_EQ(status(dir).permissions(), perms::owner_all);
  std::set<std::string> names;
  for (auto& entry : std::filesystem::recursive_directory_iterator{dir}) {
    EXPECT_EQ(entry.status().permissions(),
              entry.is_directory() ? perms::owner_all
                                   : perms::owner_read | perms::owner_write)
      << entry.path();
    names.insert(entry.path().filename());
  }
  for (auto name : {"journal", "lock", "node_id", "session_secret"})
    EXPECT_TRUE(names.contains(name)) << name;
}
