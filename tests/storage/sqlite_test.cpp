// What is peculiar to the SQLite plugin: its file, and what goes wrong with it.

#include "plugins/sqlite/schema.hpp"
#include "tests/storage/plugin_store.hpp"
#include "tests/storage/temporary_directory.hpp"

#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

namespace turnout::test {

using namespace turnout::storage;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

namespace {

backend_ptr open(const fs::path& directory) {
  return open_backend("sqlite", {directory.string(), {}});
}

int mode_of(const fs::path& file) {
  struct stat info {};
  return stat(file.c_str(), &info) == 0 ? static_cast<int>(info.st_mode & 0777)
                                        : -1;
}

/// Runs statements past the plugin.
void execute(const fs::path& file, const char* statements) {
  sqlite3* other = nullptr;
  EXPECT_EQ(sqlite3_open(file.c_str(), &other), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(other, statements, nullptr, nullptr, nullptr),
            SQLITE_OK)
    << sqlite3_errmsg(other);
  sqlite3_close(other);
}

/// Makes a file with the schema of an earlier version.
void make_store(const fs::path& file, int version) {
  for (const auto& step : sqlite::schema()) {
    if (step.version > version)
      break;
    for (const auto& statement : step.statements)
      execute(file, statement.c_str());
    execute(file, ("INSERT INTO schema_migrations VALUES ("
                   + std::to_string(step.version) + ", '', 0)")
                    .c_str());
  }
  execute(file, R"(
    INSERT INTO links VALUES (1, 3, 3, 2, 2, 'old', 'Old', 1, 0, 0, 95, 0, '',
      1, '', 1773140400000000, 1773140400000000, 1, 1, 1, 0);
    INSERT INTO variants VALUES
      (1, 1, 4, 4, 'A', 'https://a.example/', 50, 0, 0, 0, 1773140400000000),
      (2, 1, 5, 5, 'B', 'https://b.example/', 50, 0, 0, 1, 1773140400000000);
  )");
}

/// Asks for a conversion of a click of that link.
caf::expected<storage::conversion_result> convert(backend& db, const uuid& id,
                                                  const uuid& click_id) {
  conversion_request request;
  request.id = id;
  request.link_id = uuid{3, 3};
  request.click_id = click_id;
  request.created_at = request.occurred_at = from_micros(1773140500000000);
  return db.add_conversion(uuid{2, 2}, request);
}

/// Texts that clients may see must not tell where or how things are stored.
auto is_discreet(const fs::path& directory) {
  return AllOf(Not(HasSubstr(directory.string())), Not(HasSubstr("SELECT")),
               Not(HasSubstr("INSERT")));
}

} // namespace

TEST(sqlite, calls_now_and_then_while_it_stores_events) {
  test::temporary_directory dir;
  auto db = open(dir.path());
  ASSERT_FALSE(db->migrate());
  const auto x = db->create_link(new_link("calls-1"), std::nullopt);
  ASSERT_TRUE(x) << detail(x.error());
  auto calls = 0;
  const auto store = [&](int64_t position) {
    event_batch batch;
    batch.node = make_uuid(now());
    for (int i = 0; i < 100; ++i) {
      click y;
      y.created_at = now();
      y.id = make_uuid(y.created_at);
      y.link_key = x->created.key;
      y.variant_key = x->created.variants.front().key;
      batch.clicks.push_back(y);
      batch.classes.emplace_back();
      batch.click_places.push_back({0, ++position});
    }
    batch.ranges.push_back({0, position});
    const auto stored = db->store_events(batch);
    ASSERT_TRUE(stored) << detail(stored.error());
  };
  store(0);
  EXPECT_EQ(calls, 0);
  db->on_progress([&] { ++calls; });
  store(100);
  EXPECT_GT(calls, 0);
  const auto before = calls;
  db->on_progress({});
  store(200);
  EXPECT_EQ(calls, before);
}

TEST(sqlite, keeps_its_files_from_others) {
  test::temporary_directory dir;
  auto db = open(dir.path());
  ASSERT_FALSE(db->migrate());
  ASSERT_TRUE(db->create_link(new_link("mode-1"), std::nullopt));
  EXPECT_EQ(mode_of(dir.path() / "turnout.db"), 0600);
  EXPECT_EQ(mode_of(dir.path() / "turnout.db-wal"), 0600);
}

TEST(sqlite, takes_any_directory_name) {
  for (auto name : {"a  b", "x=y z", "it's", "ä;€", "timeout=0"}) {
    test::temporary_directory dir{name};
    auto db = open(dir.path());
    EXPECT_FALSE(db->migrate()) << name;
    EXPECT_TRUE(fs::exists(dir.path() / "turnout.db")) << name;
  }
  test::temporary_directory quoted{"a\"b"};
  EXPECT_EQ(code_of(open(quoted.path())->ping()), ec::unavailable);
}

TEST(sqlite, recovers_when_a_missing_directory_comes_back) {
  test::temporary_directory dir;
  auto place = dir.path() / "later";
  auto db = open(place);
  auto err = db->ping();
  EXPECT_EQ(code_of(err), ec::unavailable);
  EXPECT_THAT(detail(err), HasSubstr("data directory does not exist"));
  fs::create_directory(place);
  EXPECT_FALSE(db->ping());
  EXPECT_FALSE(db->migrate());
}

TEST(sqlite, says_when_the_tables_are_missing) {
  test::temporary_directory dir;
  auto db = open(dir.path());
  auto version = db->schema_version();
  ASSERT_TRUE(version);
  EXPECT_EQ(*version, 0);
  auto result = db->load_link("any");
  ASSERT_FALSE(result);
  EXPECT_EQ(code_of(result.error()), ec::unavailable);
  EXPECT_THAT(detail(result.error()), HasSubstr("turnout migrate"));
  EXPECT_FALSE(db->migrate());
  EXPECT_TRUE(db->load_link("any"));
}

TEST(sqlite, says_when_the_file_is_damaged_and_recovers) {
  test::temporary_directory dir;
  auto file = dir.path() / "turnout.db";
  std::ofstream{file} << std::string(8192, 'x');
  auto db = open(dir.path());
  auto err = db->migrate();
  EXPECT_EQ(code_of(err), ec::unavailable);
  EXPECT_THAT(detail(err), HasSubstr("damaged"));
  EXPECT_THAT(detail(err), is_discreet(dir.path()));
  fs::remove(file);
  EXPECT_FALSE(db->migrate());
}

TEST(sqlite, a_commit_that_fails_stores_none_of_several_links) {
  test::temporary_directory dir;
  auto db = open(dir.path());
  ASSERT_FALSE(db->migrate());
  // What it refers to is missed at the commit only.
  execute(dir.path() / "turnout.db",
          "CREATE TABLE spoilt (link_key INTEGER REFERENCES links"
          " DEFERRABLE INITIALLY DEFERRED);"
          "CREATE TRIGGER spoil AFTER INSERT ON changes"
          " BEGIN INSERT INTO spoilt VALUES (-1); END");
  const std::vector<storage::new_link> batch{{new_link("all-1"), std::nullopt},
                                             {new_link("all-2"), std::nullopt}};
  for (const auto& x : db->create_links(batch))
    EXPECT_FALSE(x);
  for (const auto& x : batch) {
    auto found = db->load_link(x.draft.slug);
    ASSERT_TRUE(found);
    EXPECT_FALSE(*found);
  }
  execute(dir.path() / "turnout.db", "DROP TRIGGER spoil");
  for (const auto& x : db->create_links(batch))
    EXPECT_TRUE(x) << detail(x.error());
}

TEST(sqlite, says_when_another_process_locks_the_file_and_recovers) {
  test::temporary_directory dir;
  auto db = open(dir.path());
  ASSERT_FALSE(db->migrate());
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open((dir.path() / "turnout.db").c_str(), &other),
            SQLITE_OK);
  sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
  // Readers do not mind.
  EXPECT_TRUE(db->load_link("any"));
  auto result = db->create_link(new_link("locked-1"), std::nullopt);
  ASSERT_FALSE(result);
  EXPECT_EQ(code_of(result.error()), ec::unavailable);
  EXPECT_THAT(detail(result.error()), HasSubstr("locked"));
  EXPECT_THAT(detail(result.error()), is_discreet(dir.path()));
  sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  EXPECT_TRUE(db->create_link(new_link("locked-1"), std::nullopt));
}

TEST(sqlite, stores_a_batch_wholly_or_not_at_all_when_the_disk_fills) {
  test::temporary_directory dir;
  auto db = open(dir.path());
  ASSERT_FALSE(db->migrate());
  auto made = db->create_link(new_link("full-1"), std::nullopt);
  ASSERT_TRUE(made);
  const auto& x = made->created;
  auto new_batch = [&](int64_t first) {
    event_batch batch;
    batch.node = uuid{1, 2};
    for (auto i = first; i < first + 1000; ++i) {
      click y;
      y.created_at = now();
      y.id = make_uuid(y.created_at);
      y.link_key = x.key;
      y.variant_key = x.variants[0].key;
      y.visitor = i;
      y.user_agent = std::string(400, 'u');
      batch.clicks.emplace_back(y);
      batch.classes.emplace_back();
      batch.click_places.push_back({0, i});
    }
    batch.ranges.push_back({0, first + 999});
    return batch;
  };
  auto clicks_and_total = [&] {
    auto page = db->clicks(x.user_id, x.id, {}, 1, 1);
    auto list = db->list_links(x.user_id, 1, 1);
    return page && list ? std::pair{page->total, list->items[0].total_clicks}
                        : std::pair<int64_t, int64_t>{-1, -1};
  };
  ASSERT_TRUE(db->store_events(new_batch(1)));
  auto second = new_batch(1001);
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &usual), 0);
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  auto tight = usual;
  tight.rlim_cur = fs::file_size(dir.path() / "turnout.db-wal") + 50'000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  auto failed = db->store_events(second);
  setrlimit(RLIMIT_FSIZE, &usual);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(failed);
  EXPECT_EQ(code_of(failed.error()), ec::unavailable);
  EXPECT_THAT(detail(failed.error()), HasSubstr("disk"));
  EXPECT_THAT(detail(failed.error()), is_discreet(dir.path()));
  EXPECT_EQ(clicks_and_total(), std::pair(int64_t{1000}, int64_t{1000}));
  auto again = db->store_events(second);
  ASSERT_TRUE(again) << detail(again.error());
  EXPECT_EQ(again->clicks, 1000);
  EXPECT_EQ(clicks_and_total(), std::pair(int64_t{2000}, int64_t{2000}));
  auto lines = db->verify(false);
  ASSERT_TRUE(lines);
  EXPECT_TRUE(lines->empty());
}

// Step 8 kept the clicks of links that had few in a text, which step 9 adds to
// the roll-ups; it also makes a table of what was the index of ids.
TEST(sqlite, migrates_clicks_that_were_kept_in_texts) {
  test::temporary_directory dir;
  const auto file = dir.path() / "turnout.db";
  make_store(file, 8);
  // Three clicks in the text, one that was settled before.
  execute(file, R"(
    INSERT INTO clicks VALUES
      (1, 101, 1, 1, 1, 0, 0, 1773140401000000, 7, '', '', '', 'DE', 'DE',
       'direct', 'Firefox', 'desktop', 'Linux'),
      (1, 102, 1, 1, 1, 0, 0, 1773140402000000, 5, '', '', '', 'DE', 'DE',
       'direct', 'Firefox', 'desktop', 'Linux'),
      (1, 103, 1, 1, 1, 0, 0, 1773140403000000, 5, '', '', '', 'DE', 'DE',
       'direct', 'Firefox', 'desktop', 'Linux'),
      (1, 104, 1, 2, 1, 0, 0, 1773140404000000, 6, '', '', '', 'US', 'US',
       'direct', 'a "b"', 'desktop', 'Linux');
    INSERT INTO variant_totals VALUES (1, 1, 3, 0, 0), (1, 2, 1, 0, 0);
    INSERT INTO evidence VALUES (1, 1, 1, 3, 0), (1, 1, 2, 1, 0);
    INSERT INTO daily VALUES (1, 20522, 1, 1, 0, 0, 0);
    INSERT INTO daily_visitors VALUES (1, 20522, 1);
    INSERT INTO daily_values VALUES
      (1, 0, 20522, 'DE', 1, 0), (1, 1, 20522, 'direct', 1, 0),
      (1, 2, 20522, 'Firefox', 1, 0), (1, 3, 20522, 'desktop', 1, 0),
      (1, 4, 20522, 'Linux', 1, 0);
    INSERT INTO recent_clicks VALUES (1,
      ',[20522,1,2,"DE","direct","Firefox","desktop","Linux"],[20522,1]'
      || ',[20522,2,1,"US","direct","a \"b\"","desktop","Linux"],[20522,1]');
  )");
  auto db = open(dir.path());
  const auto failed = db->migrate();
  ASSERT_FALSE(failed) << detail(failed);
  const auto lines = db->verify(false);
  ASSERT_TRUE(lines) << detail(lines.error());
  EXPECT_THAT(*lines, testing::IsEmpty());
  const auto report
    = db->analytics(uuid{2, 2}, uuid{3, 3}, std::nullopt, std::nullopt, 20522);
  ASSERT_TRUE(report) << detail(report.error());
  ASSERT_EQ(report->days.size(), 1u);
  EXPECT_EQ(report->days[0].clicks, 4);
  EXPECT_EQ(report->unique_visitors, 3);
  const auto made = convert(*db, uuid{9, 9}, uuid{104, 1});
  ASSERT_TRUE(made) << detail(made.error());
  EXPECT_EQ(made->recorded.variant_label, "B");
}

// Step 10 had a row for each click of a run, and for each id; totals were up to
// date.
TEST(sqlite, packs_the_clicks_of_earlier_runs) {
  test::temporary_directory dir;
  const auto file = dir.path() / "turnout.db";
  make_store(file, 10);
  // A run that is settled, and one that is not: with the same user agent, with
  // one of the click itself, and with a conversion.
  execute(file, R"(
    INSERT INTO click_runs VALUES (1, 1, 20522, 1), (2, 3, 20522, 0);
    INSERT INTO run_agents VALUES
      (1, 1, 'Fox', 'Firefox', 'desktop', 'Linux'),
      (2, 1, 'Fox', 'Firefox', 'desktop', 'Linux');
    INSERT INTO run_clicks VALUES
      (1, 1, 1773140401000 << 16, 1, 1, 1, 0, 0, 1773140401000000, 5,
       '8.8.8.0', '', '', 'DE', 'DE', 'direct', '', '', '', 1),
      (2, 1, 1773140402000 << 16, 2, 1, 1, 0, 0, 1773140402000007, 6,
       '8.8.8.0', '', 'https://x.example/', '', 'unknown', 'x.example', '', '',
       '', 1),
      (2, 1, 1773140402000 << 16, -3, 1, 1, 1, 0, 1773140402000008, 6, '',
       'Own', '', 'US', 'US', 'direct', 'Safari', 'mobile', 'iOS', 0),
      (2, 1, 1773140403000 << 16, 4, 2, 1, 0, 1, 1773140403000000, 7, '', '',
       '', 'US', 'US', 'direct', '', '', '', 1);
    INSERT INTO click_ids VALUES
      (1773140401000 << 16, 1, 1, 1), (1773140402000 << 16, 2, 1, 2),
      (1773140402000 << 16, -3, 1, 2), (1773140403000 << 16, 4, 1, 2);
    INSERT INTO conversions VALUES (1, 1773140404000000, 8, 8, 2,
      1773140403000 << 16, 4, '', '', '', 1773140404000000, 'US', 'direct',
      'Firefox', 'desktop', 'Linux');
    INSERT INTO visitors VALUES (20522, 1, 5, 1773140401000 << 16, 1);
    INSERT INTO variant_totals VALUES (1, 1, 3, 0, 0), (1, 2, 1, 1, 1);
    INSERT INTO evidence VALUES (1, 1, 1, 1, 0), (1, 1, 2, 0, 1);
    INSERT INTO daily VALUES (1, 20522, 1, 1, 0, 0, 0), (1, 20522, 2, 0, 1, 1, 0);
    INSERT INTO daily_visitors VALUES (1, 20522, 1);
    INSERT INTO daily_values VALUES
      (1, 0, 20522, 'DE', 1, 0), (1, 0, 20522, 'US', 0, 1),
      (1, 1, 20522, 'direct', 1, 1), (1, 2, 20522, 'Firefox', 1, 1),
      (1, 3, 20522, 'desktop', 1, 1), (1, 4, 20522, 'Linux', 1, 1);
  )");
  auto db = open(dir.path());
  const auto failed = db->migrate();
  ASSERT_FALSE(failed) << detail(failed);
  for (const auto repair : {false, true}) {
    const auto lines = db->verify(repair);
    ASSERT_TRUE(lines) << detail(lines.error());
    EXPECT_THAT(*lines, testing::IsEmpty());
    const auto report = db->analytics(uuid{2, 2}, uuid{3, 3}, std::nullopt,
                                      std::nullopt, 20522);
    ASSERT_TRUE(report) << detail(report.error());
    ASSERT_EQ(report->days.size(), 1u);
    EXPECT_EQ(report->days[0].clicks, 4);
    EXPECT_EQ(report->unique_visitors, 3);
  }
  const auto page = db->clicks(uuid{2, 2}, uuid{3, 3}, {}, 1, 10);
  ASSERT_TRUE(page) << detail(page.error());
  ASSERT_EQ(page->items.size(), 4u);
  EXPECT_EQ(page->items[0].user_agent, "Fox");
  EXPECT_TRUE(page->items[0].is_conversion);
  EXPECT_EQ(page->items[1].referrer, "https://x.example/");
  EXPECT_EQ(page->items[1].created_at, from_micros(1773140402000007));
  EXPECT_EQ(page->items[2].user_agent, "Own");
  EXPECT_EQ(page->items[3].country, "DE");
  for (const auto& x : page->items) {
    const auto made = convert(*db, make_uuid(now()), x.id);
    ASSERT_TRUE(made) << detail(made.error());
    EXPECT_EQ(made->created, !x.is_conversion);
  }
  const auto lines = db->verify(false);
  ASSERT_TRUE(lines) << detail(lines.error());
  EXPECT_THAT(*lines, testing::IsEmpty());
}

} // namespace turnout::test
