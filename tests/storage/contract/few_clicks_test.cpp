#include "tests/storage/contract/fixture.hpp"

#include <map>

namespace turnout::test {

// Links with few clicks in each batch, whose days a plugin may keep in another
// way until there are more of them (recent_clicks of the SQLite plugin).

using testing::IsEmpty;

namespace {

class few_clicks_test : public store_test {
protected:
  bool has_recent_clicks() const {
    return GetParam() == "sqlite";
  }

  int64_t recent_rows() {
    return raw->number("SELECT count(*) FROM recent_clicks");
  }

  int64_t settled_clicks() {
    return raw->number("SELECT coalesce(sum(clicks), 0) FROM daily");
  }

  /// Stores batches with two clicks of the link each, over three days.
  void store_few(const link& x, int batches, const std::string& browser) {
    for (int i = 0; i < batches; ++i) {
      for (int visitor = 1; visitor <= 2; ++visitor)
        events.add(new_click(x, static_cast<size_t>(i % 2),
                             moment(12, i % 60, i % 3), visitor),
                   browser);
      store(events);
    }
  }

  static std::map<std::string, int64_t>
  clicks_by_value(const analytics_report& x, dimension which) {
    std::map<std::string, int64_t> result;
    for (const auto& row : x.top[static_cast<size_t>(which)])
      result[row.value] = row.clicks;
    return result;
  }
};

TURNOUT_CONTRACT_SUITE(few_clicks_test);

} // namespace

TEST_P(few_clicks_test, every_number_has_what_is_not_settled) {
  auto x = store_link("few-1");
  store_few(x, 3, "Firefox");
  if (has_recent_clicks()) {
    EXPECT_EQ(recent_rows(), 1);
    EXPECT_EQ(settled_clicks(), 0);
  }
  auto found = report(x);
  ASSERT_EQ(found.days.size(), 3u);
  for (const auto& day : found.days)
    EXPECT_EQ(day.clicks, 2);
  EXPECT_EQ(found.unique_visitors, 6);
  EXPECT_EQ(clicks_by_value(found, dimension::browser)["Firefox"], 6);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(few_clicks_test, much_of_little_is_settled) {
  auto x = store_link("few-1");
  const std::string browser(500, 'x');
  store_few(x, 63, browser);
  if (has_recent_clicks()) {
    EXPECT_EQ(recent_rows(), 1);
    EXPECT_GT(settled_clicks(), 100);
    EXPECT_LT(settled_clicks(), 126);
  }
  auto found = report(x);
  ASSERT_EQ(found.days.size(), 3u);
  for (const auto& day : found.days)
    EXPECT_EQ(day.clicks, 42);
  // The same two each day.
  EXPECT_EQ(found.unique_visitors, 6);
  EXPECT_EQ(clicks_by_value(found, dimension::browser)[browser], 126);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(few_clicks_test, many_at_once_are_settled_at_once) {
  auto many = store_link("many-1");
  auto few = store_link("few-1");
  for (int i = 0; i < 40; ++i)
    events.add(new_click(many, 0, moment(12, i), i));
  events.add(new_click(few, 1, moment(12, 1), 7));
  store(events);
  if (has_recent_clicks()) {
    EXPECT_EQ(recent_rows(), 1);
    EXPECT_EQ(settled_clicks(), 40);
  }
  EXPECT_EQ(report(many).unique_visitors, 40);
  EXPECT_EQ(report(few).unique_visitors, 1);
  expect_sums_agree(many);
  expect_sums_agree(few);
  expect_verified();
}

TEST_P(few_clicks_test, values_are_kept_as_they_are) {
  auto x = store_link("few-1");
  const std::vector<std::string> browsers{R"(Say "hi" \ to [1,2],{})",
                                          "new\nline\x01", "Grün 中 \U0001F98A",
                                          std::string(700, 'x')};
  for (const auto& browser : browsers)
    store_few(x, 2, browser);
  auto before = clicks_by_value(report(x), dimension::browser);
  ASSERT_TRUE(db->verify(true)); // settles
  if (has_recent_clicks()) {
    EXPECT_EQ(recent_rows(), 0);
  }
  auto after = clicks_by_value(report(x), dimension::browser);
  for (const auto& browser : browsers) {
    EXPECT_EQ(before[browser], 4) << browser;
    EXPECT_EQ(after[browser], 4) << browser;
  }
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(few_clicks_test, a_conversion_finds_its_click_and_day) {
  auto x = store_link("few-1");
  auto y = store_click(x, 1, moment(12));
  auto request = new_conversion(x, moment(13));
  request.click_id = y.id;
  ASSERT_TRUE(db->add_conversion(owner, request));
  auto found = report(x);
  ASSERT_EQ(found.days.size(), 1u);
  EXPECT_EQ(found.days[0].clicks, 1);
  EXPECT_EQ(found.days[0].conversions, 1);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(few_clicks_test, purged_days_keep_their_sums) {
  auto x = store_link("few-1");
  store_few(x, 6, "Firefox");
  auto purged = db->purge_clicks(first_day() + 1);
  ASSERT_TRUE(purged) << detail(purged.error());
  EXPECT_EQ(*purged, 4);
  EXPECT_EQ(summary(x).total_clicks, 12);
  auto found = report(x);
  ASSERT_EQ(found.days.size(), 3u);
  EXPECT_EQ(found.days[0].clicks, 4);
  EXPECT_EQ(found.unique_visitors, 6);
  expect_verified();
}

TEST_P(few_clicks_test, a_repair_settles_all) {
  auto x = store_link("few-1");
  store_few(x, 6, "Firefox");
  raw->execute("UPDATE variant_totals SET clicks = 41");
  auto lines = db->verify(true);
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->size(), 2u);
  if (has_recent_clicks()) {
    EXPECT_EQ(recent_rows(), 0);
  }
  EXPECT_EQ(settled_clicks(), 12);
  EXPECT_EQ(report(x).unique_visitors, 6);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(few_clicks_test, late_visitors_are_not_counted_twice) {
  auto x = store_link("few-1");
  // Three days later the visitors of the first day are forgotten.
  store_click(x, 0, moment(12, 0, 0), 1);
  store_click(x, 0, moment(12, 0, 4), 1);
  store_click(x, 0, moment(13, 0, 0), 1);
  store_click(x, 0, moment(14, 0, 0), 2);
  auto found = report(x);
  ASSERT_EQ(found.days.size(), 2u);
  EXPECT_EQ(found.days[0].clicks, 3);
  EXPECT_EQ(found.unique_visitors, 3);
  expect_verified();
}

} // namespace turnout::test
