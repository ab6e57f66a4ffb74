#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/load_client.hpp"

#include <sqlite3.h>

#include <filesystem>
#include <future>
#include <stdexcept>

using namespace turnout::test;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class upgrade_test : public api_test {};

/// Starts on a store of the first schema that there ever was, as the fixtures
/// have it: a split link with 45 clicks and 6 conversions of which one variant
/// was retired, a geo link with 3 clicks, and a deleted link with one.
class first_schema_test : public api_test {
protected:
  void SetUp() override {
    service = std::make_unique<server>(settings());
    const std::filesystem::path fixtures = SOURCE_DIR "/tests/api/fixtures";
    if (storage_plugin() == "postgresql")
      load_postgresql(fixtures / "first_schema.postgresql.sql");
    else
      load_sqlite(fixtures / "first_schema.sqlite.sql");
    secret_key = "svc_sk_FirstSchemaFirstSchemaFirstSche1";
    service->start();
  }

  json::value find_link(const std::string& slug) {
    const auto page = get(links_path).json();
    for (const auto& x : page.at("items").as_array())
      if (text(x, "slug") == slug)
        return get(path_of(x)).json();
    throw std::runtime_error("no link " + slug);
  }

private:
  void load_sqlite(const std::filesystem::path& file) {
    std::filesystem::create_directories(service->data_dir());
    sqlite3* db = nullptr;
    const auto failed
      = sqlite3_open((service->data_dir() / "turnout.db").c_str(), &db)
          != SQLITE_OK
        || sqlite3_exec(db, read_file(file).c_str(), nullptr, nullptr, nullptr)
             != SQLITE_OK;
    const std::string why = sqlite3_errmsg(db);
    sqlite3_close(db);
    if (failed)
      throw std::runtime_error(file.string() + ": " + why);
  }

  void load_postgresql(const std::filesystem::path& file) {
    const auto result = run_command(
      {"/usr/bin/env", "psql", "--quiet", "--set=ON_ERROR_STOP=1",
       "--dbname=" + service->database().dsn(), "--file=" + file.string()},
      {});
    if (result.status != 0)
      throw std::runtime_error("psql: " + result.err);
  }
};

} // namespace

TEST_F(upgrade_test, the_old_version_serves_while_the_store_is_migrated) {
  auto link = make_split(100, 0);
  const auto path = "/" + text(link, "slug");
  load_client load{
    service->port(), {path}, 8, "User-Agent: " + browser + "\r\n"};
  // Some parts of the step.
  ASSERT_TRUE(eventually([&] { return load.acknowledged() > 10'000; }));
  service->set("TURNOUT_STORAGE_PLUGIN_DIR", NEXT_VERSION_PLUGINS);
  const auto at_begin = load.acknowledged();
  auto migrated
    = std::async(std::launch::async, [&] { return service->run({"migrate"}); });
  do {
    EXPECT_EQ(text(make_split(), "name"), text(link, "name"));
    EXPECT_EQ(get(links_path).status, 200);
  } while (migrated.wait_for(std::chrono::milliseconds{10})
           != std::future_status::ready);
  const auto result = migrated.get();
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_GT(load.acknowledged(), at_begin);
  const auto before = load.acknowledged();
  ASSERT_TRUE(eventually([&] { return load.acknowledged() > before + 1000; }));
  load.finish();
  EXPECT_THAT(load.others(), IsEmpty());
  EXPECT_EQ(load.unanswered(), 0);
  expect_counts(link, load.acknowledged());
  // The next version finds everything, the old one refuses to start.
  service->restart();
  expect_counts(link, load.acknowledged());
  EXPECT_EQ(service->run({"verify"}).status, 0);
  service->stop();
  service->set("TURNOUT_STORAGE_PLUGIN_DIR", "");
  const auto refused = service->run({"verify"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("use the newer turnout"));
}

TEST_F(first_schema_test, a_store_of_it_serves_on_with_every_count) {
  EXPECT_EQ(total_links(), 2);
  const auto split = find_link("split");
  const auto geo = find_link("geo");
  expect_counts(split, 45, 6);
  expect_counts(geo, 3);
  expect_sums_agree(split);
  expect_sums_agree(geo);
  const auto report = analytics(split);
  EXPECT_EQ(number(report.at("excluded"), "crawler"), 1);
  EXPECT_EQ(number(report, "unique_visitors"), 45);
  EXPECT_TRUE(
    by_label(report.at("variant_performance"), "b").at("retired").as_bool());
  const auto countries = analytics(geo).at("top_countries").as_array();
  EXPECT_EQ(text(countries.at(0), "value"), "US");
  EXPECT_EQ(number(countries.at(0), "clicks"), 2);
  EXPECT_EQ(visit("gone").status, 404);
  EXPECT_EQ(service->run({"verify"}).status, 0);
  // What the steps since then added works.
  visit_many("split", 10);
  const auto cookie = sticky_cookie(visit("split"));
  ASSERT_EQ(post(conversions_path, {{"click_id", cookie.click_id}}).status,
            201);
  expect_counts(split, 56, 7);
  expect_sums_agree(split);
  EXPECT_EQ(text(get(path_of(split, "/analytics/winner")).json(), "status"),
            "collecting");
  expect_counts(make_split(), 0);
  const auto session = send(
    "POST", "/auth/v1/token?grant_type=password", {{"apikey", "any"}},
    R"({"email":"owner@example.com","password":"correct horse battery"})");
  EXPECT_EQ(session.status, 200) << session.body;
  const auto verify = service->run({"verify"});
  EXPECT_EQ(verify.status, 0) << verify.out << verify.err;
}
