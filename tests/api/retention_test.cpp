#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/clock.hpp"
#include "tests/api/harness/load_client.hpp"

#include <algorithm>

using namespace turnout::test;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class retention_test : public api_test {
protected:
  /// Visits a link at full speed until there are so many more, and returns how
  /// many these are.
  int64_t load(const json::value& link, int64_t least) {
    load_client visits{service->port(),
                       {"/" + text(link, "slug")},
                       8,
                       "User-Agent: " + browser + "\r\n"};
    EXPECT_TRUE(eventually([&] { return visits.acknowledged() > least; }));
    visits.finish();
    EXPECT_THAT(visits.others(), IsEmpty());
    EXPECT_EQ(visits.unanswered(), 0);
    return visits.acknowledged();
  }

  void set_clock(int days) {
    for (const auto& [name, value] : clock_ahead(days))
      service->set(name, days == 0 ? "" : value);
    service->restart();
  }
};

} // namespace

TEST_F(retention_test, a_purge_under_visits_keeps_every_total) {
  set_clock(-3);
  const auto link = make_split(100, 0);
  const auto old = load(link, 5000);
  const auto old_conversion = sticky_cookie(visit(text(link, "slug")));
  ASSERT_EQ(
    post(conversions_path, {{"click_id", old_conversion.click_id}}).status,
    201);
  expect_counts(link, old + 1, 1);
  set_clock(0);
  const auto before = day(-1);
  load_client visits{service->port(),
                     {"/" + text(link, "slug")},
                     8,
                     "User-Agent: " + browser + "\r\n"};
  ASSERT_TRUE(eventually([&] { return visits.acknowledged() > 1000; }));
  const auto purged = service->run({"purge", "--before", before});
  EXPECT_EQ(purged.status, 0) << purged.err;
  EXPECT_THAT(purged.out,
              HasSubstr(std::to_string(old + 1) + " clicks purged"));
  const auto seen = visits.acknowledged();
  ASSERT_TRUE(eventually([&] { return visits.acknowledged() > seen + 1000; }));
  // There is nothing left of those days.
  EXPECT_THAT(service->run({"purge", "--before", before}).out,
              HasSubstr("0 clicks purged"));
  visits.finish();
  EXPECT_THAT(visits.others(), IsEmpty());
  EXPECT_EQ(visits.unanswered(), 0);
  const auto recent = visits.acknowledged();
  const auto all = old + 1 + recent;
  const counts wanted{all, 1, all, 1, all};
  EXPECT_EQ(eventually_equal(wanted, [&] { return counts_of(link); }), wanted);
  const auto rows = get(path_of(link, "/clicks.csv")).body;
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), recent + 1);
  expect_sums_agree(link);
  const auto verify = service->run({"verify"});
  EXPECT_EQ(verify.status, 0) << verify.out << verify.err;
  service->restart();
  EXPECT_EQ(counts_of(link), wanted);
}
