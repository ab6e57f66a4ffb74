#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/clock.hpp"
#include "tests/api/harness/load_client.hpp"
#include "tests/http/mmdb.hpp"

#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

using namespace turnout::test;
using testing::HasSubstr;
using testing::Not;

namespace {

size_t count_of(const std::string& text, const std::string& what) {
  size_t result = 0;
  for (size_t i = 0; (i = text.find(what, i)) != std::string::npos;
       i += what.size())
    ++result;
  return result;
}

class reload_test : public api_test {
protected:
  void SetUp() override {
    api_test::SetUp();
    // The fixture started it without a file.
    service->configure("");
    service->restart();
  }

  /// Writes the file, asks for a reload and returns the line that it left.
  std::string reload(const std::string& toml) {
    service->configure(toml);
    return reload();
  }

  std::string reload() {
    const auto before = lines().size();
    service->child().signal(SIGHUP);
    EXPECT_TRUE(eventually([&] { return lines().size() > before; }));
    return lines().back();
  }

  /// All lines that tell the end of a reload.
  std::vector<std::string> lines() {
    std::vector<std::string> result;
    std::istringstream in{service->errors()};
    for (std::string line; std::getline(in, line);)
      if (line.find("\"settings ") != std::string::npos && line.ends_with('}'))
        result.push_back(line);
    return result;
  }

  /// Writes a country database that knows 8.0.0.0/8.
  std::string database(const std::string& country) {
    const auto path = directory.path() / (country + ".mmdb");
    mmdb_file x;
    x.add(8, country);
    std::ofstream{path, std::ios::binary} << x.render(true);
    return path.string();
  }

  std::string limit() {
    return get(links_path).header("x-ratelimit-limit");
  }

  /// Visits as 8.8.8.8 behind the proxy on this machine; returns the click.
  json::value click() {
    auto link = make_split();
    EXPECT_EQ(
      visit(text(link, "slug"), {{"X-Forwarded-For", "8.8.8.8"}}).status, 302);
    expect_counts(link, 1);
    return clicks(link).at("items").at(0);
  }

  temporary_directory directory;
};

class reload_under_visits_test : public reload_test {};

} // namespace

TEST_F(reload_test, changed_settings_are_named_and_hold) {
  avoid_end_of_hour();
  EXPECT_EQ(limit(), "1000");
  auto line = reload("[rate_limit]\nper_hour = 5000\n");
  EXPECT_THAT(line, HasSubstr("\"level\":\"info\""));
  EXPECT_THAT(line, HasSubstr("rate_limit.per_hour: 1000 -> 5000\""));
  EXPECT_THAT(line, HasSubstr("\"needs_restart\":\"nothing\""));
  EXPECT_EQ(eventually_equal(std::string{"5000"}, [&] { return limit(); }),
            "5000");
  // Nothing new is no change, what left the file has its default again.
  EXPECT_THAT(reload(), HasSubstr("\"changed\":\"nothing\""));
  EXPECT_THAT(reload(""), HasSubstr("rate_limit.per_hour: 5000 -> 1000\""));
  EXPECT_EQ(eventually_equal(std::string{"1000"}, [&] { return limit(); }),
            "1000");
  EXPECT_EQ(send("GET", links_path).header("x-ratelimit-limit"), "300");
  reload("[rate_limit]\nbad_keys_per_minute = 7\n");
  EXPECT_EQ(send("GET", links_path).header("x-ratelimit-limit"), "7");
}

TEST_F(reload_test, an_own_limit_of_an_account_stays) {
  ASSERT_EQ(service->run({"user", "rate-limit", owner_email, "900"}).status, 0);
  EXPECT_EQ(eventually_equal(std::string{"900"}, [&] { return limit(); }),
            "900");
  reload("[rate_limit]\nper_hour = 5000\n");
  settle();
  EXPECT_EQ(limit(), "900");
}

TEST_F(reload_test, trusted_proxies_and_countries) {
  auto seen = click();
  EXPECT_EQ(text(seen, "ip_address"), "8.8.8.0");
  EXPECT_EQ(text(seen, "country"), "US");
  reload("[geo]\ndatabase = \"" + database("JP") + "\"\n");
  EXPECT_EQ(text(click(), "country"), "JP");
  reload("[geo]\ndatabase = \"" + database("FR") + "\"\n");
  EXPECT_EQ(text(click(), "country"), "FR");
  reload("[http]\ntrusted_proxies = [\"192.0.2.1\"]\n");
  EXPECT_EQ(text(click(), "ip_address"), "127.0.0.0");
  reload("");
  seen = click();
  EXPECT_EQ(text(seen, "ip_address"), "8.8.8.0");
  EXPECT_EQ(text(seen, "country"), "US");
}

TEST_F(reload_test, links_of_an_account_are_limited) {
  make_split();
  reload("[links]\nper_account = 1\n");
  auto body = json::object{{"name", "x"}, {"variants", two_variants()}};
  EXPECT_THAT(post(links_path, body).status, testing::Ge(400));
  EXPECT_EQ(total_links(), 1);
  reload("[links]\nper_account = 2\n");
  EXPECT_EQ(post(links_path, body).status, 201);
}

TEST_F(reload_test, connections_beyond_the_limit_wait_for_it) {
  const std::string one_reactor = "[http]\nreactors = 1\n";
  service->configure(one_reactor);
  service->restart();
  ASSERT_EQ(get(links_path).status, 200);
  reload(one_reactor + "max_connections = 1\n");
  const std::string request = "GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n";
  std::vector<raw_socket> sockets;
  // The first may have been accepted already when the limit came.
  for (int i = 0; i < 3; ++i) {
    sockets.emplace_back(service->port());
    ASSERT_TRUE(sockets.back().send(request));
  }
  EXPECT_FALSE(sockets.back().receive(false, std::chrono::milliseconds{300}));
  reload(one_reactor + "max_connections = 100\n");
  EXPECT_TRUE(sockets.back().receive());
}

TEST_F(reload_test, a_broken_file_changes_nothing) {
  avoid_end_of_hour();
  const std::string good = "[rate_limit]\nper_hour = 500\n";
  reload(good);
  EXPECT_EQ(eventually_equal(std::string{"500"}, [&] { return limit(); }),
            "500");
  // Each changes something that would be fine alone.
  const std::string more = "[rate_limit]\nper_hour = 600\n";
  const std::map<std::string, std::string> broken{
    {more + "[http]\nmax_in_flihgt = 5\n", "did you mean http.max_in_flight?"},
    {more + "[log]\nlevel = \"loud\"\n", "log.level"},
    {more + "[http\n", "turnout.toml:3"},
    {more + "[geo]\ndatabase = \"/nowhere.mmdb\"\n", "/nowhere.mmdb"},
    {more + "[geo]\ndatabase = \"" + binary() + "\"\n", "cannot be read"}};
  for (const auto& [toml, expected] : broken) {
    auto line = reload(toml);
    EXPECT_THAT(line, HasSubstr("\"level\":\"error\""));
    EXPECT_THAT(line, HasSubstr("everything stays as it was"));
    EXPECT_THAT(line, HasSubstr(expected));
    settle();
    EXPECT_EQ(limit(), "500") << toml;
  }
  EXPECT_EQ(text(click(), "country"), "US");
  // And the next good one is taken.
  EXPECT_THAT(reload(more), HasSubstr("per_hour: 500 -> 600"));
}

TEST_F(reload_test, what_needs_a_restart_is_said_without_secrets) {
  auto line = reload("[log]\nlevel = \"debug\"\n[http]\ncors_origin = "
                     "\"https://app.example\"\n[auth]\nanon_key = "
                     "\"not-for-the-log\"\n[slug]\nlength = 9\n");
  EXPECT_THAT(line, HasSubstr("log.level: \\\"info\\\" -> \\\"debug\\\""));
  EXPECT_THAT(line, HasSubstr("\"needs_restart\":\"http.cors_origin; "
                              "slug.length; auth.anon_key\""));
  EXPECT_THAT(line, Not(HasSubstr("not-for-the-log")));
  EXPECT_EQ(send("GET", links_path).header("access-control-allow-origin"), "*");
  // As long as it was not restarted.
  EXPECT_THAT(reload(), HasSubstr("\"changed\":\"nothing\",\"needs_restart\":"
                                  "\"http.cors_origin; "));
}

TEST_F(reload_test, the_level_of_the_log_changes) {
  reload("[log]\nlevel = \"error\"\n");
  const auto told = count_of(service->errors(), "\"level\":\"info\"");
  const auto database_line = "geo database loaded";
  const auto loaded = count_of(service->errors(), database_line);
  service->configure("[log]\nlevel = \"error\"\n[geo]\ndatabase = \""
                     + database("JP") + "\"\n");
  service->child().signal(SIGHUP);
  EXPECT_EQ(eventually_equal(std::string{"JP"},
                             [&] { return text(click(), "country"); }),
            "JP");
  EXPECT_EQ(count_of(service->errors(), database_line), loaded);
  EXPECT_EQ(count_of(service->errors(), "\"level\":\"info\""), told);
  EXPECT_THAT(reload("[log]\nlevel = \"info\"\n"),
              HasSubstr("log.level: \\\"error\\\" -> \\\"info\\\""));
}

TEST_F(reload_under_visits_test, fifty_reloads_fail_no_visit) {
  auto link = make_single("steady");
  const auto japan = database("JP");
  const auto france = database("FR");
  load_client visitors{service->port(),
                       {"/steady"},
                       8,
                       "User-Agent: " + browser
                         + "\r\nX-Forwarded-For: 8.8.8.8\r\n"};
  for (int i = 0; i < 50; ++i) {
    const auto odd = i % 2 == 1;
    std::string toml
      = "[http]\nmax_in_flight = " + std::to_string(odd ? 1000 : 2000)
        + "\nmax_connections = " + std::to_string(odd ? 10'000 : 100)
        + "\ntrusted_proxies = ["
        + (odd ? "\"127.0.0.0/8\"" : "\"127.0.0.1\", \"::1\"")
        + "]\n[geo]\ndatabase = \"" + (odd ? japan : france)
        + "\"\n[log]\nlevel = \"" + (odd ? "info" : "debug")
        + "\"\n[rate_limit]\nper_hour = " + std::to_string(100'000 + i) + "\n";
    if (i % 10 == 9)
      toml += "[http\n"; // broken
    const auto visited = visitors.acknowledged();
    auto line = reload(toml);
    EXPECT_THAT(line, HasSubstr(i % 10 == 9 ? "not reloaded" : "reloaded"));
    EXPECT_EQ(get(links_path).status, 200);
    // Visits go on between two of them.
    ASSERT_TRUE(
      eventually([&] { return visitors.acknowledged() > visited + 20; }));
  }
  visitors.finish();
  EXPECT_TRUE(visitors.others().empty());
  EXPECT_EQ(visitors.unanswered(), 0);
  EXPECT_EQ(lines().size(), 50u);
  const auto total = visitors.acknowledged();
  expect_counts(link, total);
  // Of each visit's address something was made of one of the two databases.
  auto rows = analytics(link).at("top_countries").as_array();
  int64_t known = 0;
  for (auto& row : rows)
    if (auto country = text(row, "value"); country != "US") {
      EXPECT_TRUE(country == "JP" || country == "FR") << country;
      known += number(row, "clicks");
    }
  EXPECT_GT(known, 0);
  expect_sums_agree(link);
}

TEST(terminal_test, a_service_ends_with_its_terminal) {
  temporary_directory dir;
  const auto data = (dir.path() / "data").string();
  const auto path = binary();
  int master = -1;
  const auto child = ::forkpty(&master, nullptr, nullptr, nullptr);
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::execl(path.c_str(), path.c_str(), "serve", "--data-dir", data.c_str(),
            "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0",
            nullptr);
    ::_exit(127);
  }
  std::string out;
  char buffer[4096];
  while (out.find("\"started\"") == std::string::npos) {
    const auto n = ::read(master, buffer, sizeof(buffer));
    ASSERT_GT(n, 0) << out;
    out.append(buffer, static_cast<size_t>(n));
  }
  // While the terminal is there, it is a wish to reload.
  ::kill(child, SIGHUP);
  while (out.find("settings reloaded") == std::string::npos) {
    const auto n = ::read(master, buffer, sizeof(buffer));
    ASSERT_GT(n, 0) << out;
    out.append(buffer, static_cast<size_t>(n));
  }
  ::close(master);
  int status = -1;
  EXPECT_TRUE(
    eventually([&] { return ::waitpid(child, &status, WNOHANG) == child; }));
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}
