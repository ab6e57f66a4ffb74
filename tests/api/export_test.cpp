#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/exports.hpp"
#include "tests/api/harness/load_client.hpp"

#include <algorithm>
#include <set>
#include <sstream>

using namespace turnout::test;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

namespace {

class export_test : public api_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_JOURNAL_DRAIN_INTERVAL_MS", "50"}};
  }

  std::string exported(std::vector<std::string> more) {
    more.insert(more.begin(), {"export", "--email", owner_email});
    auto out = service->run(more);
    EXPECT_EQ(out.status, 0) << out.err;
    EXPECT_THAT(out.err, IsEmpty());
    return out.out;
  }

  /// Makes links with everything that a link may have.
  void make_all_sorts() {
    auto geo = make_link(
      {{"name", "=HYPERLINK(\"https://x.example\",\"a\")"},
       {"slug", "geo-1"},
       {"routing_type", "geo"},
       {"geo_rules",
        json::object{{"US", " a, \"b\""}, {"default", "-2+3"}, {"DE", "-2+3"}}},
       {"variants",
        json::array{variant_body(" a, \"b\"", "https://a.example/?q=%22", 30),
                    variant_body("-2+3", "https://b.example/", 70)}},
       {"auto_winner", true},
       {"auto_winner_threshold", 4321},
       {"enable_conversion_tracking", false},
       {"conversion_redirect_url", "https://t.example/?a=1,2"}});
    visit_many("geo-1", 3);
    expect_counts(geo, 3);
    // One with retired variants, promoted.
    auto split = make_split();
    ASSERT_EQ(put(path_of(split, "/variants"),
                  json::array{variant_body("b", "https://b2.example/", 60),
                              variant_body("c", "https://c.example/", 40)})
                .status,
              200);
    ASSERT_EQ(post(path_of(split, "/promote-winner"),
                   json::object{{"variant_id",
                                 variant_id(get(path_of(split)).json(), "c")}})
                .status,
              200);
    // A paused one, and many at once.
    auto paused = make_single("paused");
    ASSERT_EQ(put(path_of(paused), json::object{{"is_active", false}}).status,
              200);
    for (int i = 0; i < 20; ++i)
      make_split(i, 100 - i);
    // What is deleted is not exported.
    ASSERT_EQ(del(path_of(make_single("deleted"))).status, 204);
  }

  std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);)
      result.push_back(line);
    return result;
  }
};

} // namespace

TEST_F(export_test, a_round_trip_is_lossless) {
  make_all_sorts();
  for (std::string format : {"csv", "jsonl"}) {
    temporary_directory dir;
    const auto text = exported({"--format", format});
    write_file(dir.path() / "links", text);
    server other;
    ASSERT_EQ(other.run({"migrate"}).status, 0);
    other.add_user("new@example.com");
    auto out = other.run(
      {"import", "--format", format, (dir.path() / "links").string()});
    EXPECT_EQ(out.out, import_summary(23, 0, 0, 3)) << out.err;
    EXPECT_THAT(out.err, IsEmpty());
    auto again = other.run({"export", "--format", format});
    EXPECT_EQ(again.out, text);
    // And it is the same in the store that it came from.
    out = service->run({"import", "--format", format, "--email", owner_email,
                        (dir.path() / "links").string()});
    EXPECT_EQ(out.out, import_summary(0, 23, 0, 0)) << out.err;
    EXPECT_EQ(exported({"--format", format}), text);
    // The new store serves them, by their ids.
    other.start();
    const auto key = other.make_key("new@example.com");
    http_client client{other.origin()};
    const auto listed = get(links_path + "?per_page=100").json();
    for (const auto& x : listed.at("items").as_array()) {
      const auto path = path_of(x);
      auto mine = get(path).json().as_object();
      json::object theirs;
      ASSERT_TRUE(eventually([&] {
        auto answer = client.send("GET", path, {{"X-API-Key", key}});
        if (answer.status != 200)
          return false;
        theirs = answer.json().as_object();
        return true;
      }));
      for (auto name : {"user_id", "imported_clicks"}) {
        mine.erase(name);
        theirs.erase(name);
      }
      EXPECT_EQ(json::value(mine), json::value(theirs));
    }
    EXPECT_EQ(other.run({"verify"}).status, 0);
  }
}

TEST_F(export_test, an_empty_account_exports_a_header) {
  EXPECT_THAT(exported({}), StartsWith("slug,name,is_active,"));
  EXPECT_EQ(lines(exported({})).size(), 1u);
  EXPECT_THAT(exported({"--format", "jsonl"}), IsEmpty());
  EXPECT_EQ(exported({"--what", "clicks"}),
            "id,link_id,variant_id,ip_address,user_agent,referrer,country,"
            "is_conversion,created_at\r\n");
}

TEST_F(export_test, clicks_are_those_of_the_api) {
  auto one = make_split();
  auto two = make_split();
  const auto hostile = std::string{"=cmd|' /C calc'!A0, \"x\""};
  for (int i = 0; i < 5; ++i)
    visit(text(one, "slug"),
          {{"User-Agent", hostile}, {"Referer", "https://r.example/"}});
  visit_many(text(two, "slug"), 3);
  expect_counts(one, 5);
  expect_counts(two, 3);
  // Newest links first, as in the list.
  auto body = [&](const json::value& link) {
    auto csv = call("GET", path_of(link, "/clicks.csv")).body;
    return csv.substr(csv.find('\n') + 1);
  };
  const auto csv = exported({"--what", "clicks"});
  EXPECT_EQ(csv.substr(csv.find('\n') + 1), body(two) + body(one));
  EXPECT_THAT(csv, HasSubstr("\"=cmd|' /C calc'!A0, \"\"x\"\"\""));
  json::array expected;
  for (const auto* link : {&two, &one}) {
    const auto listed = clicks(*link);
    for (const auto& x : listed.at("items").as_array())
      expected.push_back(x);
  }
  json::array read;
  for (const auto& line :
       lines(exported({"--what", "clicks", "--format", "jsonl"})))
    read.push_back(json::parse(line));
  EXPECT_EQ(read, expected);
}

TEST_F(export_test, visits_and_new_links_do_not_disturb_it) {
  constexpr int links = 1200;
  const auto sample = make_export("yourls", links);
  temporary_directory dir;
  write_file(dir.path() / "export", sample.text);
  ASSERT_EQ(run_long(*service, {"import", "--format", "yourls", "--email",
                                owner_email, (dir.path() / "export").string()})
              .status,
            1);
  auto visited = make_single("visited");
  load_client load{service->port(),
                   {"/visited", "/yourls_7"},
                   4,
                   "User-Agent: " + browser + "\r\n"};
  ASSERT_TRUE(eventually([&] { return load.acknowledged() > 500; }));
  ASSERT_TRUE(
    eventually([&] { return number(analytics(visited), "total_clicks") > 0; }));
  for (int round = 0; round < 3; ++round) {
    make_split();
    std::multiset<std::string> slugs;
    for (const auto& line : lines(exported({"--format", "jsonl"})))
      slugs.insert(text(json::parse(line), "slug"));
    EXPECT_EQ(slugs.size(), static_cast<size_t>(sample.links + 2 + round));
    EXPECT_EQ(std::set<std::string>(slugs.begin(), slugs.end()).size(),
              slugs.size());
  }
  // Every click that was there before comes once.
  const auto before = number(analytics(visited), "total_clicks");
  std::set<std::string> ids;
  int64_t rows = 0;
  const auto id = text(visited, "id");
  for (const auto& line : lines(exported({"--what", "clicks"})))
    if (line.find(id) != std::string::npos) {
      ids.insert(line.substr(0, 36));
      ++rows;
    }
  load.finish();
  EXPECT_EQ(static_cast<int64_t>(ids.size()), rows);
  EXPECT_GE(rows, before);
  EXPECT_THAT(load.others(), IsEmpty());
}

TEST_F(export_test, it_writes_to_a_file_or_tells_why_not) {
  make_single("one");
  temporary_directory dir;
  const auto path = (dir.path() / "links.csv").string();
  EXPECT_THAT(exported({"--output", path}), IsEmpty());
  EXPECT_EQ(read_file(path), exported({}));
  for (const auto& [file, word] :
       {std::pair{"/dev/full", "incomplete"},
        std::pair{"/nonexistent/links.csv", "/nonexistent/links.csv"}}) {
    auto out
      = service->run({"export", "--email", owner_email, "--output", file});
    EXPECT_EQ(out.status, 1);
    EXPECT_THAT(out.err, HasSubstr("cannot write"));
    EXPECT_THAT(out.err, HasSubstr(word));
    EXPECT_EQ(std::count(out.err.begin(), out.err.end(), '\n'), 1);
  }
}
