#include "tests/storage/contract/fixture.hpp"

#include <algorithm>
#include <random>

namespace turnout::test {

using testing::ElementsAre;

namespace {

class events_test : public store_test {
protected:
  std::vector<journal_range> positions(const uuid& node) {
    auto result = db->journal_positions(node);
    return result ? *result : std::vector<journal_range>{};
  }
};

} // namespace

TURNOUT_CONTRACT_SUITE(events_test);

TEST_P(events_test, stores_clicks_with_every_field) {
  auto x = store_link("click-1");
  auto y = new_click(x, 1, moment() + std::chrono::microseconds{123456});
  y.ip_address = "2001:db8:1::";
  y.user_agent = "Mozilla/5.0 'ü' \"x\"";
  y.referrer = "https://news.example/a?b=1";
  y.country = "DE";
  auto z = new_click(x, 0, moment(13));
  z.user_agent.clear();
  events.add(y).add(z);
  auto result = store(events);
  EXPECT_EQ(result.clicks, 2);
  EXPECT_EQ(result.replayed, 0);
  auto rows = all_clicks(x, {});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].id, z.id);
  EXPECT_EQ(rows[0].variant_id, x.variants[0].id);
  EXPECT_EQ(rows[0].user_agent, "");
  EXPECT_EQ(rows[0].referrer, "");
  EXPECT_EQ(rows[0].country, "");
  EXPECT_EQ(rows[1].id, y.id);
  EXPECT_EQ(rows[1].variant_id, x.variants[1].id);
  EXPECT_EQ(rows[1].ip_address, y.ip_address);
  EXPECT_EQ(rows[1].user_agent, y.user_agent);
  EXPECT_EQ(rows[1].referrer, y.referrer);
  EXPECT_EQ(rows[1].country, "DE");
  EXPECT_FALSE(rows[1].is_conversion);
  EXPECT_EQ(rows[1].created_at, y.created_at);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(events_test, returns_the_totals_of_the_links_it_touched) {
  auto x = store_asking_link("touched-1");
  auto y = store_asking_link("touched-2");
  store_link("untouched");
  events.add(new_click(x, 0, moment())).add(new_click(y, 1, moment()));
  store(events);
  events.add(new_click(y, 1, moment(13)));
  auto result = store(events);
  ASSERT_EQ(result.totals.size(), 1u);
  EXPECT_EQ(result.totals[0].link_id, y.id);
  ASSERT_EQ(result.totals[0].variants.size(), 2u);
  EXPECT_EQ(result.totals[0].variants[0].variant_id, y.variants[0].id);
  EXPECT_EQ(result.totals[0].variants[0].clicks, 0);
  EXPECT_EQ(result.totals[0].variants[1].variant_id, y.variants[1].id);
  EXPECT_EQ(result.totals[0].variants[1].clicks, 2);
}

TEST_P(events_test, of_many_links_reach_every_sum) {
  // More rows of each roll-up than a plugin may write with one statement.
  constexpr auto count = 37;
  std::vector<link> links;
  for (auto i = 0; i < count; ++i)
    links.push_back(store_link("many-" + std::to_string(i)));
  for (auto round = 0; round < 2; ++round) {
    for (auto i = 0; i < count; ++i) {
      events.add(new_click(links[i], i % 2, moment(round), 2 * i + round),
                 "Browser " + std::to_string(i % 3));
      if (i % 3 == 0)
        events.add(new_click(links[i], 1, moment(round + 2), 1000 + i));
    }
    EXPECT_EQ(store(events).clicks, count + 13);
  }
  for (const auto& x : links)
    expect_sums_agree(x);
  expect_verified();
}

TEST_P(events_test, counts_excluded_visits_apart_by_reason) {
  auto x = store_link("bots-1");
  for (auto i = 0; i < 5; ++i) {
    events.add(new_click(x, 0, moment(i), i));
    events.add(excluded_visit{x.key, exclusion::crawler, moment(i)});
  }
  events.add(excluded_visit{x.key, exclusion::head, moment(0, 0, 1)});
  auto result = store(events);
  EXPECT_EQ(result.clicks, 5);
  EXPECT_EQ(result.excluded, 6);
  auto whole
    = db->analytics(owner, x.id, first_day(), first_day() + 1, first_day() + 1);
  ASSERT_TRUE(whole);
  EXPECT_THAT(whole->excluded, ElementsAre(1, 0, 0, 5));
  EXPECT_EQ(summary(x).total_clicks, 5);
  auto first = db->analytics(owner, x.id, first_day(), first_day(), 0);
  ASSERT_TRUE(first);
  EXPECT_THAT(first->excluded, ElementsAre(0, 0, 0, 5));
}

TEST_P(events_test, counts_five_visits_and_one_as_two_visitors) {
  auto x = store_link("unique-1");
  for (auto i = 0; i < 5; ++i)
    events.add(new_click(x, i % 2, moment(i), 111));
  store(events);
  EXPECT_EQ(report(x).unique_visitors, 1);
  events.add(new_click(x, 0, moment(6), 222));
  store(events);
  auto whole = report(x);
  EXPECT_EQ(whole.unique_visitors, 2);
  EXPECT_EQ(summary(x).total_clicks, 6);
  // The next day knows nobody; another link has visitors of its own.
  auto y = store_link("unique-2");
  events.add(new_click(x, 0, moment(1, 0, 1), 333));
  events.add(new_click(y, 0, moment(1), 111));
  store(events);
  EXPECT_EQ(report(x).unique_visitors, 3);
  EXPECT_EQ(report(y).unique_visitors, 1);
  expect_verified();
}

TEST_P(events_test, counts_visitors_of_a_day_that_comes_late_once) {
  auto x = store_link("late-1");
  events.add(new_click(x, 0, moment(1), 1)).add(new_click(x, 0, moment(2), 2));
  store(events);
  // Days later the visitors of that day are forgotten.
  events.add(new_click(x, 0, moment(0, 0, 9), 1));
  store(events);
  events.add(new_click(x, 0, moment(3), 1)).add(new_click(x, 0, moment(4), 3));
  store(events);
  auto first = db->analytics(owner, x.id, first_day(), first_day(), 0);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->unique_visitors, 3);
  expect_verified();
}

// -- exactly once -------------------------------------------------------------

TEST_P(events_test, skips_a_batch_that_comes_again) {
  auto x = store_link("again-1");
  auto y = new_click(x, 0, moment(1));
  auto converted = new_conversion(x, moment(2));
  converted.click_id = y.id;
  events.add(y).add(new_click(x, 1, moment(2), 2));
  events.add(excluded_visit{x.key, exclusion::preview, moment()});
  events.add(converted);
  auto batch = events.take();
  auto first = db->store_events(batch);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->clicks, 2);
  EXPECT_EQ(first->conversions, 1);
  auto before = report(x);
  db = open();
  auto second = db->store_events(batch);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->clicks, 0);
  EXPECT_EQ(second->excluded, 0);
  EXPECT_EQ(second->conversions, 0);
  EXPECT_EQ(second->conversions_dropped, 0);
  EXPECT_EQ(second->replayed, 4);
  EXPECT_TRUE(second->totals.empty());
  auto after = report(x);
  EXPECT_EQ(summary(x).total_clicks, 2);
  EXPECT_EQ(summary(x).total_conversions, 1);
  EXPECT_EQ(after.excluded, before.excluded);
  EXPECT_EQ(after.unique_visitors, before.unique_visitors);
  expect_verified();
}

TEST_P(events_test, skips_the_part_of_a_batch_that_was_stored) {
  auto x = store_link("overlap-1");
  std::vector<click> clicks;
  for (auto i = 0; i < 10; ++i)
    clicks.emplace_back(new_click(x, 0, moment(i), i));
  for (auto i = 0; i < 6; ++i)
    events.add(clicks[i]);
  store(events);
  events.seek(3);
  for (auto i = 2; i < 10; ++i)
    events.add(clicks[i]);
  auto result = store(events);
  EXPECT_EQ(result.clicks, 4);
  EXPECT_EQ(result.replayed, 4);
  EXPECT_EQ(summary(x).total_clicks, 10);
  EXPECT_EQ(report(x).unique_visitors, 10);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(events_test, keeps_positions_by_node_and_journal) {
  auto x = store_link("place-1");
  auto node = make_uuid(now());
  EXPECT_TRUE(positions(node).empty());
  batch_builder zero{node, 0};
  batch_builder three{node, 3};
  batch_builder elsewhere{make_uuid(now()), 0};
  zero.seek(41);
  store(zero.add(new_click(x, 0, moment(1))));
  store(three.add(new_click(x, 0, moment(2))).add(new_click(x, 0, moment(3))));
  // The same positions of another node are other events.
  EXPECT_EQ(store(elsewhere.add(new_click(x, 0, moment(4)))).clicks, 1);
  auto stored = positions(node);
  ASSERT_EQ(stored.size(), 2u);
  EXPECT_EQ(stored[0].journal, 0);
  EXPECT_EQ(stored[0].last, 41);
  EXPECT_EQ(stored[1].journal, 3);
  EXPECT_EQ(stored[1].last, 2);
  // An old batch never moves a position back.
  zero.seek(7);
  EXPECT_EQ(store(zero.add(new_click(x, 0, moment(5)))).replayed, 1);
  EXPECT_EQ(positions(node)[0].last, 41);
  EXPECT_EQ(summary(x).total_clicks, 4);
}

TEST_P(events_test, stores_batches_of_several_journals) {
  auto x = store_link("journals-1");
  event_batch batch;
  batch.node = make_uuid(now());
  for (auto journal : {0, 1}) {
    batch.ranges.push_back({journal, 2});
    for (auto position : {1, 2}) {
      batch.clicks.emplace_back(new_click(x, 0, moment(position)));
      batch.classes.emplace_back();
      batch.click_places.push_back({journal, position});
    }
  }
  auto result = db->store_events(batch);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->clicks, 4);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(events_test, counts_a_click_id_once) {
  auto x = store_link("twice-1");
  auto click = new_click(x, 0, moment());
  events.add(click).add(click);
  EXPECT_EQ(store(events).clicks, 1);
  events.add(click);
  auto result = store(events);
  EXPECT_EQ(result.clicks, 0);
  EXPECT_EQ(result.replayed, 1);
  EXPECT_EQ(summary(x).total_clicks, 1);
  expect_verified();
}

TEST_P(events_test, leaves_out_events_of_unknown_links_and_variants) {
  auto x = store_link("orphan-1");
  auto y = store_link("orphan-2");
  auto unknown_link = new_click(x, 0, moment());
  unknown_link.link_key = 999'999;
  auto unknown_variant = new_click(x, 0, moment());
  unknown_variant.variant_key = 999'999;
  auto foreign_variant = new_click(x, 0, moment());
  foreign_variant.variant_key = y.variants[0].key;
  auto nothing = new_click(x, 0, moment());
  nothing.link_key = nothing.variant_key = 0;
  events.add(unknown_link).add(unknown_variant).add(foreign_variant);
  events.add(nothing).add(new_click(x, 1, moment()));
  events.add(excluded_visit{999'999, exclusion::head, moment()});
  auto result = store(events);
  EXPECT_EQ(result.orphans, 5);
  EXPECT_EQ(result.clicks, 1);
  EXPECT_EQ(result.excluded, 0);
  EXPECT_EQ(summary(x).total_clicks, 1);
  expect_verified();
}

TEST_P(events_test, counts_clicks_of_paused_deleted_and_retired) {
  auto x = store_link("deleted-1");
  x = change_variants(
    x, {{"A", "https://a.example/", 50}, {"C", "https://c.example/", 50}});
  auto deleted = mark_deleted(x, moment());
  ASSERT_TRUE(deleted && db->save_link(*deleted));
  ASSERT_TRUE(x.variants[2].retired);
  events.add(new_click(x, 0, moment())).add(new_click(x, 2, moment()));
  auto result = store(events);
  EXPECT_EQ(result.clicks, 2);
  expect_verified();
}

TEST_P(events_test, takes_an_empty_batch_and_moves_the_position) {
  auto node = make_uuid(now());
  event_batch batch;
  batch.node = node;
  ASSERT_TRUE(db->store_events(batch));
  batch.ranges.push_back({0, 17});
  ASSERT_TRUE(db->store_events(batch));
  ASSERT_EQ(positions(node).size(), 1u);
  EXPECT_EQ(positions(node)[0].last, 17);
}

TEST_P(events_test, a_part_stores_clicks_and_leaves_the_position) {
  auto x = store_link("part-1");
  for (int i = 0; i < 4; ++i)
    events.add(new_click(x, 0, moment()));
  auto whole = events.take();
  auto part = whole;
  part.is_part = true;
  part.clicks.resize(2);
  part.classes.resize(2);
  part.click_places.resize(2);
  auto stored = db->store_events(part);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->clicks, 2);
  EXPECT_EQ(summary(x).total_clicks, 2);
  auto before = positions(whole.node);
  EXPECT_TRUE(before.empty() || before[0].last == 0);
  // The process ended before the rest was stored, so all of it comes again.
  db = open();
  stored = db->store_events(whole);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->clicks, 2);
  EXPECT_EQ(stored->replayed, 2);
  EXPECT_EQ(summary(x).total_clicks, 4);
  ASSERT_EQ(positions(whole.node).size(), 1u);
  EXPECT_EQ(positions(whole.node)[0].last, whole.ranges[0].last);
  expect_verified();
}

TEST_P(events_test, a_part_holds_nothing_but_clicks) {
  auto x = store_link("part-2");
  events.add(excluded_visit{x.key, exclusion::head, moment()});
  auto batch = events.take();
  batch.is_part = true;
  EXPECT_FALSE(db->store_events(batch));
  batch.is_part = false;
  EXPECT_TRUE(db->store_events(batch));
}

TEST_P(events_test, refuses_a_batch_whose_parts_do_not_match) {
  auto x = store_link("parts-1");
  events.add(new_click(x, 0, moment()));
  auto batch = events.take();
  auto without_places = batch;
  without_places.click_places.clear();
  EXPECT_FALSE(db->store_events(without_places));
  auto without_classes = batch;
  without_classes.classes.clear();
  EXPECT_FALSE(db->store_events(without_classes));
  EXPECT_TRUE(db->store_events(batch));
  EXPECT_EQ(summary(x).total_clicks, 1);
}

TEST_P(events_test, keeps_repeat_visits_out_of_the_evidence) {
  auto x = store_link("repeat-1");
  auto first = new_click(x, 0, moment(1));
  auto repeat = new_click(x, 0, moment(2));
  repeat.is_repeat = true;
  events.add(first).add(repeat);
  for (const auto& y : {first, repeat}) {
    auto converted = new_conversion(x, moment(3));
    converted.click_id = y.id;
    events.add(converted);
  }
  store(events);
  EXPECT_EQ(summary(x).total_clicks, 2);
  EXPECT_EQ(summary(x).total_conversions, 2);
  EXPECT_EQ(raw->number("SELECT sum(clicks) FROM evidence"), 1);
  EXPECT_EQ(raw->number("SELECT sum(conversions) FROM evidence"), 1);
  expect_verified();
}

} // namespace turnout::test
