#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/load_client.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <stdexcept>

// A backup that is made while visits run has all that was acknowledged before
// it, and nothing twice; what is restored of it serves on.

using namespace turnout::test;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

namespace fs = std::filesystem;

constexpr size_t connections = 16;

unsigned mode_of(const fs::path& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0)
    throw std::runtime_error("no " + path.string());
  return info.st_mode & 07777;
}

class backup_test : public api_test {
protected:
  fs::path backup_dir() const {
    return x_dir.path() / "backup";
  }

  /// Makes a backup as docs/operations.md says: the node's own files, then the
  /// database, if it is a server's.
  void back_up() {
    const auto made = service->run({"backup", backup_dir().string()});
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_THAT(made.out, HasSubstr("backup " + backup_dir().string()));
    if (storage_plugin() == "postgresql") {
      EXPECT_THAT(made.out, HasSubstr("back that up next"));
      run({"pg_dump", "--format=custom", "--file=" + dump().string(),
           "--dbname=" + service->database().dsn()});
    }
  }

  /// Puts another service, made of the backup, in the place of `service`, which
  /// is returned.
  std::unique_ptr<server> restore() {
    auto result = std::make_unique<server>(settings());
    fs::copy(backup_dir(), result->data_dir(), fs::copy_options::recursive);
    if (storage_plugin() == "postgresql")
      run({"pg_restore", "--exit-on-error", "--no-owner",
           "--dbname=" + result->database().dsn(), dump().string()});
    result->set("TURNOUT_JOURNAL_DRAIN_INTERVAL_MS", "50");
    result->start();
    std::swap(result, service);
    return result;
  }

  /// Runs a program that PATH leads to.
  static void run(std::vector<std::string> argv) {
    argv.insert(argv.begin(), "/usr/bin/env");
    const auto result = run_command(argv, {});
    if (result.status != 0)
      throw std::runtime_error(argv[1] + ": " + result.err);
  }

  int64_t recorded(const json::value& link) {
    return number(analytics(link), "total_clicks");
  }

  /// Waits until a link has at least `least` clicks and no more come.
  int64_t recorded_at_last(const json::value& link, int64_t least) {
    EXPECT_TRUE(eventually([&] { return recorded(link) >= least; }))
      << recorded(link) << " of " << least << " acknowledged clicks";
    settle();
    return recorded(link);
  }

  /// Returns the ids of the clicks of a link; the test fails when one is there
  /// twice.
  std::set<std::string> click_ids(const json::value& link) {
    std::set<std::string> result;
    std::istringstream lines{get(path_of(link, "/clicks.csv")).body};
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line))
      EXPECT_TRUE(result.insert(line.substr(0, line.find(','))).second);
    return result;
  }

private:
  fs::path dump() const {
    return x_dir.path() / "dump";
  }

  temporary_directory x_dir;
};

class backup_under_visits_test : public backup_test,
                                 public testing::WithParamInterface<int> {
protected:
  environment settings() const override {
    return {{"TURNOUT_JOURNAL_DRAIN_INTERVAL_MS", std::to_string(GetParam())}};
  }
};

} // namespace

TEST_P(backup_under_visits_test, it_has_all_that_was_acknowledged_before) {
  const auto link = make_split();
  load_client load{service->port(),
                   {"/" + text(link, "slug")},
                   connections,
                   "User-Agent: " + browser + "\r\n"};
  ASSERT_TRUE(eventually([&] { return load.acknowledged() > 3000; }));
  const auto before = load.acknowledged();
  ASSERT_NO_FATAL_FAILURE(back_up());
  const auto after = load.acknowledged();
  EXPECT_GT(after, before) << "no visit came during the backup";
  load.finish();
  EXPECT_THAT(load.others(), IsEmpty());
  // The node itself did not notice. A stop stores what waits.
  service->set("TURNOUT_JOURNAL_DRAIN_INTERVAL_MS", "50");
  service->restart();
  expect_counts(link, load.acknowledged());
  const auto all = click_ids(link);
  EXPECT_EQ(static_cast<int64_t>(all.size()), load.acknowledged());

  auto original = restore();
  const auto restored = recorded_at_last(link, before);
  EXPECT_GE(restored, before);
  EXPECT_LE(restored, after + static_cast<int64_t>(connections));
  const auto verify = service->run({"verify"});
  EXPECT_EQ(verify.status, 0) << verify.out << verify.err;
  const auto ids = click_ids(link);
  EXPECT_EQ(static_cast<int64_t>(ids.size()), restored);
  for (const auto& id : ids)
    ASSERT_TRUE(all.contains(id)) << id;
  // Positions of the journal go on where the store is.
  visit_many(text(link, "slug"), 25);
  expect_counts(link, restored + 25);
  expect_sums_agree(link);
  EXPECT_EQ(service->run({"verify"}).status, 0);
}

// All stored at once, some waiting, and all in the journal still.
INSTANTIATE_TEST_SUITE_P(drain_intervals, backup_under_visits_test,
                         testing::Values(10, 400, 60'000));

TEST_F(backup_test, everything_comes_back) {
  service->set("TURNOUT_JOURNAL_DRAIN_INTERVAL_MS", "60000");
  service->restart();
  const auto link = make_split();
  const auto slug = text(link, "slug");
  visit_many(slug, 30);
  const auto cookie = sticky_cookie(visit(slug));
  ASSERT_EQ(post(conversions_path, {{"click_id", cookie.click_id}}).status,
            201);
  send("GET", "/" + slug, {{"User-Agent", "Googlebot/2.1"}});
  ASSERT_EQ(del(path_of(make_single("gone"))).status, 204);
  ASSERT_NO_FATAL_FAILURE(back_up());
  auto original = restore();
  expect_counts(link, 31, 1);
  expect_sums_agree(link);
  EXPECT_EQ(number(analytics(link).at("excluded"), "crawler"), 1);
  EXPECT_EQ(visit("gone").status, 404);
  // The same node, and sessions stay open.
  for (auto name : {"node_id", "session_secret"})
    EXPECT_EQ(read_file(service->data_dir() / name),
              read_file(original->data_dir() / name))
      << name;
  // The cookie still knows its click.
  send("GET", "/c/" + text(link, "id") + ".gif",
       {{"Cookie", cookie.header()}, {"User-Agent", browser}});
  expect_counts(link, 31, 1);
}

TEST_F(backup_test, it_is_for_its_owner_only) {
  visit_many(text(make_split(), "slug"), 3);
  ASSERT_NO_FATAL_FAILURE(back_up());
  EXPECT_EQ(mode_of(backup_dir()), 0700u);
  auto files = 0;
  for (const auto& x : fs::recursive_directory_iterator{backup_dir()}) {
    EXPECT_EQ(mode_of(x.path()), x.is_directory() ? 0700u : 0600u) << x.path();
    ++files;
  }
  EXPECT_GT(files, 3);
}

TEST_F(backup_test, it_never_overwrites_and_leaves_nothing_half) {
  ASSERT_NO_FATAL_FAILURE(back_up());
  const auto again = service->run({"backup", backup_dir().string()});
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.err, HasSubstr("does not exist yet"));
  const auto nowhere = service->run({"backup", "/no/such/place/x"});
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("/no/such/place"));
  EXPECT_EQ(service->run({"backup"}).status, 2);
  // A file that cannot be read.
  const auto other = backup_dir().string() + "2";
  fs::remove(service->data_dir() / "node_id");
  fs::create_directory(service->data_dir() / "node_id");
  EXPECT_EQ(service->run({"backup", other}).status, 1);
  EXPECT_FALSE(fs::exists(other));
  EXPECT_FALSE(fs::exists(other + ".incomplete"));
}
