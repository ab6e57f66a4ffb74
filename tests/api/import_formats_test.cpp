#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/exports.hpp"
#include "tests/api/harness/load_client.hpp"

#include <algorithm>
#include <sstream>

using namespace turnout::test;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

constexpr int rows = 10'000;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    result.push_back(line);
  return result;
}

/// Exports of 10,000 rows, broken ones among them.
class import_formats_test : public testing::TestWithParam<std::string> {
protected:
  std::vector<std::string> command(const export_sample& sample) {
    write_file(x_dir.path() / "export", sample.text);
    const auto kind = GetParam();
    return {"import", "--format", kind.substr(0, kind.find('.')),
            (x_dir.path() / "export").string()};
  }

private:
  temporary_directory x_dir;
};

/// An import beside visits.
class import_under_visits_test : public api_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_JOURNAL_DRAIN_INTERVAL_MS", "50"}};
  }
};

} // namespace

TEST_P(import_formats_test, good_rows_are_links_and_each_broken_one_is_told) {
  server service;
  ASSERT_EQ(service.run({"migrate"}).status, 0);
  service.add_user("owner@example.com");
  const auto sample = make_export(GetParam(), rows);
  ASSERT_GT(sample.refusals.size(), 50u);
  const auto refused = static_cast<int64_t>(sample.refusals.size());
  auto args = command(sample);
  auto out = run_long(service, args);
  EXPECT_EQ(out.status, 1);
  EXPECT_EQ(out.out, import_summary(sample.links, sample.repeated, refused,
                                    sample.clicks));
  auto told = lines_of(out.err);
  std::erase_if(told, [](auto& x) {
    return x.find("the column 'note' means nothing") != std::string::npos;
  });
  EXPECT_THAT(told, ElementsAreArray(sample.refusals));
  // Again, dry: now all are there.
  args.push_back("--dry-run");
  out = run_long(service, args);
  EXPECT_EQ(out.status, 1);
  EXPECT_EQ(out.out,
            "dry run, nothing is stored: "
              + import_summary(0, sample.links + sample.repeated, refused, 0));
  auto exported = run_long(service, {"export", "--format", "jsonl"});
  EXPECT_EQ(exported.status, 0) << exported.err;
  EXPECT_EQ(std::count(exported.out.begin(), exported.out.end(), '\n'),
            sample.links);
  auto verified = service.run({"verify"});
  EXPECT_EQ(verified.status, 0) << verified.out;
}

TEST_P(import_formats_test, a_dry_run_tells_the_same_and_stores_nothing) {
  server service;
  ASSERT_EQ(service.run({"migrate"}).status, 0);
  service.add_user("owner@example.com");
  const auto sample = make_export(GetParam(), 1500);
  auto args = command(sample);
  args.push_back("--dry-run");
  auto out = run_long(service, args);
  EXPECT_EQ(out.status, 1);
  EXPECT_EQ(out.out,
            "dry run, nothing is stored: "
              + import_summary(sample.links, sample.repeated,
                               static_cast<int64_t>(sample.refusals.size()),
                               sample.clicks));
  auto told = lines_of(out.err);
  std::erase_if(told, [](auto& x) {
    return x.find("the column 'note' means nothing") != std::string::npos;
  });
  EXPECT_THAT(told, ElementsAreArray(sample.refusals));
  EXPECT_THAT(service.run({"export", "--format", "jsonl"}).out, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(all, import_formats_test,
                         testing::Values("csv", "bitly", "yourls", "kutt",
                                         "shlink", "bitly.json", "yourls.json",
                                         "kutt.json", "shlink.json"),
                         [](const auto& info) {
                           auto name = info.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST_F(import_under_visits_test, visits_are_answered_and_new_links_work) {
  temporary_directory dir;
  const auto sample = make_export("yourls", rows);
  write_file(dir.path() / "export", sample.text);
  auto visited = make_single("visited");
  EXPECT_EQ(visit("yourls_5000").status, 404) << "remembered as unknown";
  load_client load{
    service->port(), {"/visited"}, 4, "User-Agent: " + browser + "\r\n"};
  ASSERT_TRUE(eventually([&] { return load.acknowledged() > 100; }));
  auto out
    = run_long(*service, {"import", "--format", "yourls", "--email",
                          owner_email, (dir.path() / "export").string()});
  EXPECT_EQ(out.status, 1);
  EXPECT_EQ(out.out,
            import_summary(sample.links, sample.repeated,
                           static_cast<int64_t>(sample.refusals.size()),
                           sample.clicks));
  EXPECT_TRUE(eventually([&] { return visit("yourls_5000").status == 302; }));
  EXPECT_EQ(visit("yourls_5001").header("location"),
            "https://a.example/5001?x=%2C,y;z");
  load.finish();
  EXPECT_THAT(load.others(), IsEmpty());
  EXPECT_EQ(load.unanswered(), 0);
  expect_counts(visited, load.acknowledged());
  EXPECT_EQ(total_links(), sample.links + 1);
  auto verified = service->run({"verify"});
  EXPECT_EQ(verified.status, 0) << verified.out;
}
