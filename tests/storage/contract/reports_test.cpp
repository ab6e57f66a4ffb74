#include "tests/storage/contract/fixture.hpp"

#include <algorithm>

namespace turnout::test {

using std::chrono::microseconds;
using testing::ElementsAre;

namespace {

class reports_test : public store_test {
protected:
  analytics_report report_of(const link& x, int from, int to) {
    auto result = db->analytics(owner, x.id, first_day() + from,
                                first_day() + to, first_day() + to);
    if (!result)
      throw std::runtime_error{detail(result.error())};
    return *result;
  }

  int64_t clicks_of(const link& x, int from, int to) {
    int64_t result = 0;
    for (const auto& day : report_of(x, from, to).days)
      result += day.clicks;
    return result;
  }

  int64_t total_of(const link& x, const click_range& range) {
    auto result = db->clicks(owner, x.id, range, 1, 1);
    return result ? result->total : -1;
  }
};

} // namespace

TURNOUT_CONTRACT_SUITE(reports_test);

TEST_P(reports_test, cut_days_at_midnight_utc) {
  auto x = store_link("midnight");
  auto midnight = start_of(first_day() + 1);
  auto last = new_click(x, 0, midnight - microseconds{1}, 1);
  auto first = new_click(x, 0, midnight, 2);
  events.add(last).add(first);
  store(events);
  EXPECT_EQ(clicks_of(x, 0, 0), 1);
  EXPECT_EQ(clicks_of(x, 1, 1), 1);
  EXPECT_EQ(clicks_of(x, 0, 1), 2);
  auto before = all_clicks(x, {start_of(first_day()), midnight});
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(before[0].id, last.id);
  auto after = all_clicks(x, {midnight, start_of(first_day() + 2)});
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0].id, first.id);
  expect_sums_agree(x);
}

TEST_P(reports_test, show_a_day_alike_in_every_range) {
  auto x = store_link("ranges");
  for (auto day = 0; day < 40; ++day)
    for (auto i = 0; i <= day % 3; ++i)
      events.add(new_click(x, 0, moment(i, 0, day), i));
  store(events);
  for (auto length : {1, 7, 30}) {
    auto days = report_of(x, 40 - length, 39).days;
    EXPECT_EQ(days.size(), static_cast<size_t>(length));
    EXPECT_EQ(days.back().day, first_day() + 39);
    EXPECT_EQ(days.back().clicks, 1);
  }
  expect_sums_agree(x);
}

TEST_P(reports_test, cover_the_whole_life_without_dates) {
  auto x = store_link("life", moment(5));
  auto young
    = db->analytics(owner, x.id, std::nullopt, std::nullopt, first_day() + 3);
  ASSERT_TRUE(young);
  EXPECT_EQ(young->subject, x);
  EXPECT_EQ(young->from, first_day());
  EXPECT_EQ(young->to, first_day() + 3);
  EXPECT_TRUE(young->days.empty());
  ASSERT_EQ(young->variants.size(), 2u);
  EXPECT_EQ(young->variants[0].variant_id, x.variants[0].id);
  EXPECT_EQ(young->variants[0].clicks, 0);
  // Clocks of nodes differ: nothing may be missing at either end.
  events.add(new_click(x, 0, moment(0, 0, -1))).add(new_click(x, 0, moment()));
  events.add(new_click(x, 0, moment(0, 0, 4)));
  store(events);
  EXPECT_EQ(report(x).days.size(), 3u);
  expect_sums_agree(x);
  auto open_end
    = db->analytics(owner, x.id, first_day(), std::nullopt, first_day());
  ASSERT_TRUE(open_end);
  EXPECT_EQ(open_end->days.size(), 2u);
}

TEST_P(reports_test, have_one_day_when_the_only_end_is_outside_of_the_life) {
  auto x = store_link("life", moment(5));
  events.add(new_click(x, 0, moment()));
  store(events);
  auto before = db->analytics(owner, x.id, std::nullopt, first_day() - 3,
                              first_day() + 3);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->from, first_day() - 3);
  EXPECT_EQ(before->to, first_day() - 3);
  EXPECT_TRUE(before->days.empty());
  auto after = db->analytics(owner, x.id, first_day() + 5, std::nullopt,
                             first_day() + 3);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->from, first_day() + 5);
  EXPECT_EQ(after->to, first_day() + 5);
  EXPECT_TRUE(after->days.empty());
}

TEST_P(reports_test, know_only_links_of_the_account_that_are_not_deleted) {
  auto x = store_link("mine");
  auto refused = [&](const uuid& account_id, const uuid& link_id) {
    auto report = db->analytics(account_id, link_id, {}, {}, first_day());
    auto clicks = db->clicks(account_id, link_id, {}, 1, 10);
    return !report && !clicks && detail(report.error()) == "Link not found"
           && detail(clicks.error()) == "Link not found"
           && code_of(report.error()) == ec::not_found;
  };
  EXPECT_FALSE(refused(owner, x.id));
  EXPECT_TRUE(refused(make_uuid(now()), x.id));
  EXPECT_TRUE(refused(owner, make_uuid(now())));
  auto deleted = mark_deleted(x, moment());
  ASSERT_TRUE(deleted && db->save_link(*deleted));
  EXPECT_TRUE(refused(owner, x.id));
}

TEST_P(reports_test, list_the_top_ten_by_clicks_conversions_and_value) {
  auto x = store_link("top");
  std::vector<click> clicks;
  for (auto i = 0; i < 12; ++i) {
    auto country = std::string{"A"} + static_cast<char>('A' + i);
    for (auto n = 0; n < (i == 11 ? 3 : 1); ++n) {
      auto& y = clicks.emplace_back(new_click(x, 0, moment(i), i));
      y.country = country;
      events.add(y);
    }
  }
  store(events);
  auto converted = new_conversion(x, moment(20));
  converted.click_id = clicks[5].id;
  ASSERT_TRUE(db->add_conversion(owner, converted));
  std::vector<std::string> values;
  auto top = report(x).top[static_cast<size_t>(dimension::country)];
  for (const auto& row : top)
    values.emplace_back(row.value);
  EXPECT_THAT(values, ElementsAre("AL", "AF", "AA", "AB", "AC", "AD", "AE",
                                  "AG", "AH", "AI"));
  EXPECT_EQ(top[0].clicks, 3);
  EXPECT_EQ(top[1].conversions, 1);
}

TEST_P(reports_test, break_clicks_down_by_each_dimension) {
  auto x = store_link("dimensions");
  auto y = new_click(x, 0, moment(1));
  y.referrer = "news.example";
  y.country = "FR";
  events.add(y, "Firefox").add(new_click(x, 0, moment(2)), "");
  store(events);
  auto top = report(x).top;
  auto values = [&](dimension d) {
    std::string result;
    for (const auto& row : top[static_cast<size_t>(d)])
      result += row.value + "=" + std::to_string(row.clicks) + ' ';
    return result;
  };
  EXPECT_EQ(values(dimension::country), "FR=1 unknown=1 ");
  EXPECT_EQ(values(dimension::referrer), "news.example=1 unknown=1 ");
  EXPECT_EQ(values(dimension::browser), "Firefox=1 unknown=1 ");
  EXPECT_EQ(values(dimension::device), "desktop=2 ");
  EXPECT_EQ(values(dimension::system), "Linux=2 ");
}

TEST_P(reports_test, show_the_newest_hundred_conversions) {
  auto x = store_link("hundred");
  std::vector<uuid> ids;
  for (auto i = 0; i < 105; ++i) {
    auto request = new_conversion(x, moment(1, i));
    request.may_be_unattributed = true;
    ids.emplace_back(request.id);
    ASSERT_TRUE(db->add_conversion(owner, request));
  }
  auto whole = report(x);
  ASSERT_EQ(whole.conversions.size(), 100u);
  for (size_t i = 0; i < 100; ++i)
    EXPECT_EQ(whole.conversions[i].id, ids[104 - i]);
  EXPECT_EQ(summary(x).total_conversions, 105);
}

// -- click list ---------------------------------------------------------------

TEST_P(reports_test, page_through_clicks_without_gaps_or_repeats) {
  auto x = store_link("pages");
  std::vector<uuid> ids;
  for (auto i = 0; i < 100; ++i) {
    // Many in one millisecond, and days without clicks in between.
    auto y = new_click(x, 0, moment(3, 0, (i / 20) * 3), i);
    ids.emplace_back(y.id);
    events.add(y);
  }
  store(events);
  std::sort(ids.rbegin(), ids.rend());
  for (auto per_page : {1, 7, 20, 100}) {
    std::vector<uuid> listed;
    for (const auto& row : all_clicks(x, {}, per_page))
      listed.emplace_back(row.id);
    EXPECT_EQ(listed, ids) << per_page;
  }
  auto past = db->clicks(owner, x.id, {}, 999'999, 100);
  ASSERT_TRUE(past);
  EXPECT_TRUE(past->items.empty());
  EXPECT_EQ(past->total, 100);
}

TEST_P(reports_test, keep_older_pages_when_new_clicks_of_a_range_come) {
  auto x = store_link("stable");
  for (auto i = 0; i < 10; ++i)
    events.add(new_click(x, 0, moment(1, i), i));
  store(events);
  click_range range{std::nullopt, moment(1, 10)};
  auto first = db->clicks(owner, x.id, range, 1, 5);
  events.add(new_click(x, 0, moment(2), 99));
  store(events);
  auto second = db->clicks(owner, x.id, range, 2, 5);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(second->total, 10);
  EXPECT_EQ(second->items.size(), 5u);
  EXPECT_GT(first->items.back().id, second->items.front().id);
}

TEST_P(reports_test, read_clicks_from_one_to_the_next) {
  auto x = store_link("export-1");
  auto other = store_link("export-2");
  std::vector<uuid> ids;
  for (auto i = 0; i < 60; ++i) {
    auto y = new_click(x, static_cast<size_t>(i % 2), moment(3, 0, i / 20), i);
    ids.emplace_back(y.id);
    events.add(y);
    events.add(new_click(other, 0, moment(3, 0, i / 20), i));
  }
  store(events);
  std::sort(ids.rbegin(), ids.rend());
  auto read = [&](const click_range& range, int limit) {
    std::vector<uuid> result;
    uuid last;
    for (;;) {
      auto rows = db->clicks_before(owner, x.id, range, last, limit);
      if (!rows)
        throw std::runtime_error{detail(rows.error())};
      for (const auto& row : *rows)
        result.emplace_back(row.id);
      if (rows->size() < static_cast<size_t>(limit))
        return result;
      last = rows->back().id;
      // What comes in meanwhile is newer than all that is still to be read.
      store_click(x, 0, moment(12, 0, 5), 99);
    }
  };
  for (auto limit : {1, 7, 60, 61, 500})
    EXPECT_EQ(read({std::nullopt, moment(12)}, limit),
              std::vector(ids.end() - 20, ids.end()))
      << limit;
  EXPECT_EQ(read({moment(3, 0, 1), moment(3, 0, 2)}, 7),
            std::vector(ids.begin() + 20, ids.begin() + 40));
  // The same fields as in the list.
  auto rows = db->clicks_before(owner, x.id, {}, {}, 1);
  auto list = db->clicks(owner, x.id, {}, 1, 1);
  ASSERT_TRUE(rows && list);
  EXPECT_EQ(rows->at(0).id, list->items.at(0).id);
  EXPECT_EQ(rows->at(0).variant_id, list->items.at(0).variant_id);
  EXPECT_EQ(rows->at(0).ip_address, list->items.at(0).ip_address);
  EXPECT_EQ(rows->at(0).created_at, list->items.at(0).created_at);
  // Not of others, not of deleted ones.
  auto foreign = db->clicks_before(make_uuid(now()), x.id, {}, {}, 10);
  ASSERT_FALSE(foreign);
  EXPECT_EQ(code_of(foreign.error()), ec::not_found);
  x.is_deleted = true;
  ASSERT_TRUE(db->save_link(x));
  EXPECT_FALSE(db->clicks_before(owner, x.id, {}, {}, 10));
}

TEST_P(reports_test, count_partial_days_of_a_range_exactly) {
  auto x = store_link("partial");
  for (auto day = 0; day < 4; ++day)
    for (auto hour = 0; hour < 24; ++hour)
      events.add(new_click(x, 0, moment(hour, 30, day), hour));
  store(events);
  struct {
    click_range range;
    int64_t total;
  } cases[] = {
    {{}, 96},
    {{moment(0), moment(0, 0, 1)}, 24},
    {{moment(6), moment(7)}, 1},
    {{moment(6), std::nullopt}, 90},
    {{std::nullopt, moment(6)}, 6},
    {{moment(6), moment(0, 0, 1)}, 18},
    {{moment(0), moment(6)}, 6},
    {{moment(12), moment(12, 0, 3)}, 72},
    {{moment(23, 30), moment(23, 30, 3)}, 72},
    {{moment(23, 30) + microseconds{1}, moment(23, 30, 3) + microseconds{1}},
     72},
    {{moment(23, 30), moment(23, 30) + microseconds{1}}, 1},
    {{moment(12, 0, 3), std::nullopt}, 12},
    {{moment(7), moment(7)}, 0},
    {{moment(8), moment(7)}, 0},
    {{moment(0, 0, 10), std::nullopt}, 0},
    {{std::nullopt, moment(0, 0, -1)}, 0},
    {{from_micros(std::numeric_limits<int64_t>::min()),
      from_micros(std::numeric_limits<int64_t>::max())},
     96},
  };
  for (const auto& [range, total] : cases) {
    EXPECT_EQ(total_of(x, range), total);
    EXPECT_EQ(static_cast<int64_t>(all_clicks(x, range).size()), total);
  }
}

TEST_P(reports_test, count_partial_days_with_many_clicks_exactly) {
  auto x = store_link("many");
  for (auto i = 0; i < 10'500; ++i)
    events.add(new_click(x, 0, moment(6) + microseconds{i}, i % 100));
  for (auto i = 0; i < 5; ++i)
    events.add(new_click(x, 0, moment(12, i), i));
  store(events);
  EXPECT_EQ(total_of(x, {moment(12), moment(12, 4)}), 4);
  EXPECT_EQ(total_of(x, {moment(12), std::nullopt}), 5);
  EXPECT_EQ(total_of(x, {std::nullopt, moment(12, 1)}), 10'501);
}

TEST_P(reports_test, tell_moments_within_a_millisecond_apart) {
  auto x = store_link("micro");
  auto at = moment(9) + microseconds{1500};
  for (auto us : {0, 1, 2})
    events.add(new_click(x, 0, at + microseconds{us}, us));
  store(events);
  EXPECT_EQ(total_of(x, {at + microseconds{1}, at + microseconds{2}}), 1);
  EXPECT_EQ(all_clicks(x, {at + microseconds{1}, std::nullopt}).size(), 2u);
  EXPECT_EQ(all_clicks(x, {std::nullopt, at + microseconds{1}}).size(), 1u);
}

} // namespace turnout::test
