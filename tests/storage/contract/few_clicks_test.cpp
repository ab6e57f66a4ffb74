#include "tests/storage/contract/fixture.hpp"

namespace turnout::test {

// Links with few clicks in each batch, which a plugin may store and count in
// another way (click_runs of the SQLite plugin).

using testing::IsEmpty;

namespace {

class few_clicks_test : public store_test {
protected:
  /// Checks how many clicks the roll-ups of the store have themselves, and how
  /// many are recent.
  void expect_settled(int64_t settled, int64_t recent) {
    if (!has_runs())
      return;
    EXPECT_EQ(raw->number("SELECT coalesce(sum(clicks), 0) FROM daily"),
              settled);
    EXPECT_EQ(raw->number("SELECT count(*) FROM recent_clicks"), recent);
  }

  /// Stores batches with two clicks of the link each, over some days. Clicks of
  /// the first of more than two days are settled when the third comes.
  void store_few(const link& x, int batches, const std::string& browser,
                 int days = 2) {
    for (int i = 0; i < batches; ++i) {
      for (int visitor = 1; visitor <= 2; ++visitor)
        events.add(new_click(x, static_cast<size_t>(i % 2),
                             moment(12, i % 60, i % days), visitor),
                   browser);
      store(events);
    }
  }

  static event_batch cut(event_batch x, size_t first, size_t last) {
    const auto keep = [=](auto& xs) {
      xs.erase(xs.begin() + static_cast<std::ptrdiff_t>(last), xs.end());
      xs.erase(xs.begin(), xs.begin() + static_cast<std::ptrdiff_t>(first));
    };
    keep(x.clicks);
    keep(x.classes);
    keep(x.click_places);
    return x;
  }

  /// Stores the first clicks of a round as a part.
  void store_part(const event_batch& round, size_t clicks, int64_t replayed) {
    auto part = cut(round, 0, clicks);
    part.is_part = true;
    const auto stored = db->store_events(part);
    ASSERT_TRUE(stored) << detail(stored.error());
    EXPECT_EQ(stored->clicks, static_cast<int64_t>(clicks) - replayed);
    EXPECT_EQ(stored->replayed, replayed);
  }

  void expect_found_by_id(const link& x, const std::vector<click>& clicks) {
    for (const auto& y : clicks) {
      auto request = new_conversion(x, moment(13));
      request.click_id = y.id;
      const auto made = db->add_conversion(owner, request);
      ASSERT_TRUE(made) << detail(made.error());
      EXPECT_TRUE(made->created);
    }
  }
};

TURNOUT_CONTRACT_SUITE(few_clicks_test);

} // namespace

TEST_P(few_clicks_test, every_number_has_what_is_recent) {
  auto x = store_link("few-1");
  store_few(x, 4, "Firefox");
  expect_settled(0, 8);
  auto found = report(x);
  ASSERT_EQ(found.days.size(), 2u);
  for (const auto& day : found.days)
    EXPECT_EQ(day.clicks, 4);
  EXPECT_EQ(found.unique_visitors, 4);
  EXPECT_EQ(clicks_by_value(found, dimension::browser)["Firefox"], 8);
  const auto evidence = db->evidence(x.id);
  ASSERT_TRUE(evidence && *evidence);
  ASSERT_EQ((*evidence)->counts.size(), 2u);
  for (const auto& row : (*evidence)->counts)
    EXPECT_EQ(row.clicks, 4);
  EXPECT_EQ(all_clicks(x, {}, 3).size(), 8u);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(few_clicks_test, a_new_day_settles_old_ones) {
  auto x = store_link("few-1");
  auto y = store_link("few-2");
  store_click(y, 0, moment(12, 0, 0), 1);
  store_few(x, 2, "Firefox");
  expect_settled(0, 5);
  store_click(x, 0, moment(12, 0, 2), 1);
  expect_settled(6, 0);
  auto found = report(x);
  ASSERT_EQ(found.days.size(), 3u);
  EXPECT_EQ(found.unique_visitors, 5);
  // Who comes again on a settled day is known.
  store_click(x, 1, moment(13, 0, 1), 2);
  store_click(x, 1, moment(13, 0, 2), 1);
  expect_settled(6, 2);
  EXPECT_EQ(report(x).unique_visitors, 5);
  expect_sums_agree(x);
  expect_sums_agree(y);
  expect_verified();
}

TEST_P(few_clicks_test, links_are_settled_one_after_the_other) {
  std::vector<link> links;
  for (int i = 0; i < 30; ++i)
    links.push_back(store_link("few-" + std::to_string(i)));
  for (int round = 0; round < 4; ++round) {
    for (const auto& x : links)
      for (int i = 0; i < 10; ++i)
        events.add(new_click(x, 0, moment(12, i, 0), i));
    store(events);
    if (round != 1)
      continue;
    // Runs may have different links; as if the first were full.
    links.push_back(store_link("few-last"));
    if (has_runs())
      raw->execute("UPDATE click_runs SET clicks = 250000");
  }
  expect_settled(0, 1220);
  const auto expect_all = [&](int64_t more) {
    for (const auto& x : links) {
      EXPECT_EQ(report(x).unique_visitors, 10);
      EXPECT_EQ(clicks_by_value(report(x), dimension::browser)["Firefox"],
                x.id == links.back().id ? 20
                : x.id == links[7].id   ? 40 + more
                                        : 40);
      expect_sums_agree(x);
    }
    expect_verified();
  };
  expect_all(0);
  // Each batch settles some.
  for (int i = 1; i <= 3; ++i) {
    store_click(links[7], 0, moment(12, 0, i + 1), 1);
    auto found = report(links[7]);
    EXPECT_EQ(found.unique_visitors, 10 + i);
    for (const auto& x : links)
      expect_sums_agree(x);
    expect_verified();
  }
  if (has_runs()) {
    EXPECT_LT(raw->number("SELECT count(*) FROM recent_clicks"), 10);
  }
}

TEST_P(few_clicks_test, a_link_has_not_too_many_of_them) {
  auto x = store_link("few-1");
  const std::string browser(500, 'x');
  store_few(x, 140, browser);
  expect_settled(24, 256);
  auto found = report(x);
  ASSERT_EQ(found.days.size(), 2u);
  for (const auto& day : found.days)
    EXPECT_EQ(day.clicks, 140);
  // The same two each day.
  EXPECT_EQ(found.unique_visitors, 4);
  EXPECT_EQ(clicks_by_value(found, dimension::browser)[browser], 280);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(few_clicks_test, a_round_that_was_cut_off_counts_once) {
  auto x = store_link("few-1");
  auto y = store_link("few-2");
  std::vector<click> few;
  for (int i = 0; i < 10; ++i)
    events.add(few.emplace_back(new_click(x, 0, moment(12, i), i)));
  // Few in the part, many with the rest.
  std::vector<click> many;
  for (int i = 0; i < 20; ++i)
    events.add(many.emplace_back(new_click(y, 0, moment(12, i), i)));
  auto round = events.take();
  store_part(round, 15, 0);
  EXPECT_EQ(summary(y).total_clicks, 5);
  db = open();
  auto stored = db->store_events(round);
  ASSERT_TRUE(stored) << detail(stored.error());
  EXPECT_EQ(stored->clicks, 15);
  EXPECT_EQ(stored->replayed, 15);
  // The other way round, and cut off twice.
  std::vector<click> again;
  for (int i = 0; i < 20; ++i)
    events.add(again.emplace_back(new_click(x, 1, moment(12, i), 50 + i)));
  round = events.take();
  store_part(round, 18, 0);
  db = open();
  store_part(round, 8, 8);
  db = open();
  store_part(round, 8, 8);
  stored = db->store_events(cut(round, 8, 20));
  ASSERT_TRUE(stored) << detail(stored.error());
  EXPECT_EQ(stored->clicks, 2);
  EXPECT_EQ(stored->replayed, 10);
  EXPECT_EQ(summary(x).total_clicks, 30);
  EXPECT_EQ(summary(y).total_clicks, 20);
  expect_found_by_id(x, few);
  expect_found_by_id(x, again);
  expect_found_by_id(y, many);
  EXPECT_EQ(summary(y).total_conversions, 20);
  expect_sums_agree(x);
  expect_sums_agree(y);
  expect_verified();
}

TEST_P(few_clicks_test, a_round_that_was_cut_off_may_come_in_pieces) {
  auto x = store_link("few-1");
  std::vector<click> clicks;
  for (int i = 0; i < 30; ++i)
    events.add(clicks.emplace_back(new_click(x, 0, moment(12, i), i)));
  const auto round = events.take();
  store_part(round, 30, 0);
  db = open();
  for (const size_t first : {0, 10, 20}) {
    auto piece = cut(round, first, first + 10);
    piece.ranges.front().last = piece.click_places.back().position;
    const auto stored = db->store_events(piece);
    ASSERT_TRUE(stored) << detail(stored.error());
    EXPECT_EQ(stored->clicks, 0);
    EXPECT_EQ(stored->replayed, 10);
  }
  EXPECT_EQ(summary(x).total_clicks, 30);
  if (has_runs()) {
    EXPECT_EQ(raw->number("SELECT count(*) FROM open_rounds"), 0);
  }
  EXPECT_EQ(all_clicks(x, {}).size(), 30u);
  expect_found_by_id(x, clicks);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(few_clicks_test, clicks_of_a_long_round_are_found_by_their_ids) {
  // More than become findable in two transactions.
  constexpr size_t size = 34'000;
  auto x = store_link("few-1");
  std::vector<click> clicks;
  for (size_t i = 0; i < size; ++i) {
    const auto at = moment(12, static_cast<int>(i * 7 % 60));
    events.add(clicks.emplace_back(new_click(x, 0, at, static_cast<int>(i))));
  }
  const auto round = events.take();
  store_part(round, size - 10, 0);
  if (has_runs()) {
    // The last part fails when some of them are findable already.
    raw->execute("ALTER TABLE settling RENAME TO settling_before");
    EXPECT_FALSE(db->store_events(cut(round, size - 10, size)));
    raw->execute("ALTER TABLE settling_before RENAME TO settling");
    EXPECT_EQ(raw->number("SELECT count(*) FROM click_places i CROSS JOIN"
                          " places(i.places)"),
              32'000);
    db = open();
    store_part(round, size - 10, size - 10);
  }
  const auto stored = db->store_events(cut(round, size - 10, size));
  ASSERT_TRUE(stored) << detail(stored.error());
  EXPECT_EQ(stored->clicks, 10);
  EXPECT_EQ(summary(x).total_clicks, static_cast<int64_t>(size));
  expect_found_by_id(x, {clicks[0], clicks[20'000], clicks[size - 1]});
  if (has_runs()) {
    // None is there twice.
    EXPECT_LE(raw->number("SELECT count(*) FROM click_places i CROSS JOIN"
                          " places(i.places)"),
              static_cast<int64_t>(size));
  }
  expect_verified();
}

TEST_P(few_clicks_test, late_clicks_of_purged_days_are_counted) {
  auto x = store_link("few-1");
  store_click(x, 0, moment(12), 1);
  ASSERT_TRUE(db->purge_clicks(first_day() + 1));
  const auto late = store_click(x, 0, moment(13), 2);
  const auto purged = db->purge_clicks(first_day() + 1);
  ASSERT_TRUE(purged);
  EXPECT_EQ(*purged, 1);
  EXPECT_EQ(summary(x).total_clicks, 2);
  const auto found = report(x);
  ASSERT_EQ(found.days.size(), 1u);
  EXPECT_EQ(found.days[0].clicks, 2);
  EXPECT_EQ(found.unique_visitors, 2);
  expect_verified();
}

TEST_P(few_clicks_test, pages_of_clicks_have_those_of_all_days) {
  auto x = store_link("few-1");
  for (int day = 0; day < 4; ++day) {
    // Many of two days, few of the others.
    for (int i = 0; i < (day % 2 == 0 ? 20 : 7); ++i)
      events.add(new_click(x, 0, moment(12, i, day), i));
    store(events);
  }
  EXPECT_EQ(all_clicks(x, {}, 5).size(), 54u);
  std::vector<click_row> exported;
  uuid last;
  for (;;) {
    const auto page = db->clicks_before(owner, x.id, {}, last, 9);
    ASSERT_TRUE(page) << detail(page.error());
    if (page->empty())
      break;
    exported.insert(exported.end(), page->begin(), page->end());
    last = exported.back().id;
  }
  ASSERT_EQ(exported.size(), 54u);
  for (size_t i = 1; i < exported.size(); ++i)
    EXPECT_GT(exported[i - 1].id, exported[i].id);
}

TEST_P(few_clicks_test, a_repair_finds_clicks_by_their_ids_again) {
  auto x = store_link("few-1");
  std::vector<click> clicks;
  for (int i = 0; i < 5; ++i)
    clicks.push_back(store_click(x, 0, moment(12, i), i));
  // Elsewhere ids are an index, which nobody can take away.
  const auto is_table = has_runs();
  if (is_table)
    raw->execute("DELETE FROM click_places");
  const auto lines = db->verify(false);
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->size(), is_table ? 5u : 0u);
  ASSERT_TRUE(db->verify(true));
  expect_verified();
  expect_found_by_id(x, clicks);
}

TEST_P(few_clicks_test, visitors_are_found_where_their_click_is) {
  auto x = store_link("few-1");
  const auto first = store_click(x, 0, moment(12), 7);
  const auto second = store_click(x, 1, moment(13), 7);
  store_click(x, 0, moment(13), 8);
  auto request = new_conversion(x, moment(14));
  request.visitors = {7, 0};
  const auto made = db->add_conversion(owner, request);
  ASSERT_TRUE(made) << detail(made.error());
  EXPECT_EQ(made->recorded.click_id, second.id);
  // A conversion belongs to the newest click before it, not to a later one of
  // its batch.
  request = new_conversion(x, moment(15));
  request.visitors = {8, 0};
  events.add(new_click(x, 1, moment(16), 8));
  events.add(request);
  store(events);
  const auto found = report(x);
  ASSERT_EQ(found.conversions.size(), 2u);
  EXPECT_EQ(found.conversions[0].variant_id, x.variants[0].id);
  EXPECT_EQ(found.unique_visitors, 2);
  EXPECT_NE(first.id, second.id);
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
  expect_settled(40, 1);
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
  expect_settled(0, 16);
  ASSERT_TRUE(db->verify(true)); // settles
  expect_settled(16, 0);
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
  expect_settled(0, 12);
  auto purged = db->purge_clicks(first_day() + 1);
  ASSERT_TRUE(purged) << detail(purged.error());
  EXPECT_EQ(*purged, 6);
  EXPECT_EQ(summary(x).total_clicks, 12);
  auto found = report(x);
  ASSERT_EQ(found.days.size(), 2u);
  EXPECT_EQ(found.days[0].clicks, 6);
  EXPECT_EQ(found.unique_visitors, 4);
  EXPECT_EQ(all_clicks(x, {}).size(), 6u);
  expect_verified();
  purged = db->purge_clicks(first_day() + 2);
  ASSERT_TRUE(purged) << detail(purged.error());
  EXPECT_EQ(*purged, 6);
  EXPECT_EQ(summary(x).total_clicks, 12);
  if (has_runs()) {
    EXPECT_EQ(raw->number("SELECT count(*) FROM click_places"), 0);
    EXPECT_EQ(raw->number("SELECT count(*) FROM click_runs"), 0);
  }
  expect_verified();
}

TEST_P(few_clicks_test, are_settled_sooner_for_many_links_that_ask) {
  if (!has_runs())
    return;
  auto plain = store_link("few-1");
  std::vector<link> asking;
  for (int i = 0; i < 101; ++i)
    asking.push_back(store_asking_link("asks-" + std::to_string(i)));
  const auto store_asking = [&] {
    for (const auto& x : asking)
      events.add(new_click(x, 0, moment(12)));
    store(events);
  };
  store_asking();
  // As if these were many.
  raw->execute("UPDATE click_runs SET clicks = 600000");
  store_click(plain, 0, moment(13));
  expect_settled(0, 102);
  store_asking();
  expect_settled(203, 0);
  for (const auto& x : asking)
    EXPECT_EQ(summary(x).total_clicks, 2);
  expect_verified();
}

TEST_P(few_clicks_test, count_in_the_order_of_many_links) {
  auto x = store_link("few-1");
  auto y = store_link("few-2");
  store_click(x, 0, moment());
  store_few(y, 2, "Firefox");
  const auto expect_order = [&] {
    const auto found = db->list_links(owner, 1, 2, {"", link_sort::clicks});
    ASSERT_TRUE(found) << detail(found.error());
    ASSERT_EQ(found->items.size(), 2u);
    EXPECT_EQ(found->items[0].slug, y.slug);
    EXPECT_EQ(found->items[0].total_clicks, 4);
    EXPECT_EQ(found->items[1].slug, x.slug);
    EXPECT_EQ(found->items[1].total_clicks, 1);
  };
  expect_order();
  raw->execute(
    "INSERT INTO links (id_hi, id_lo, user_hi, user_lo, slug, name, is_active,"
    " is_deleted, auto_winner, auto_winner_threshold, routing, geo,"
    " enable_conversion_tracking, conversion_redirect_url, created_at,"
    " updated_at, generation, stratum, version, imported_clicks)"
    " WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
    " WHERE i < 10000) SELECT i, 1, user_hi, user_lo, 'more-' || i, name, 1,"
    " 0, 0, 95, 0, '', 1, '', created_at, updated_at, 1, 1, 1, 0 FROM links, n"
    " WHERE slug = 'few-1'");
  expect_order();
}

TEST_P(few_clicks_test, damaged_ones_are_told) {
  if (!has_runs())
    return;
  auto x = store_link("few-1");
  auto y = store_link("few-2");
  store_click(x, 0, moment());
  store_click(y, 0, moment());
  raw->execute("UPDATE packed_clicks SET clicks = substr(clicks, 1, 40)"
               " WHERE link_key = "
               + std::to_string(x.key));
  const auto list = db->clicks(owner, x.id, {}, 1, 10);
  ASSERT_FALSE(list);
  EXPECT_EQ(code_of(list.error()), ec::unavailable);
  EXPECT_THAT(detail(list.error()), testing::HasSubstr("damaged"));
  EXPECT_EQ(all_clicks(y, {}).size(), 1u);
}

TEST_P(few_clicks_test, of_variants_with_any_key) {
  // Far from each other (variant_links of the SQLite plugin).
  std::vector<link> links;
  for (const int64_t key : {int64_t{1} << 19, int64_t{1} << 20,
                            int64_t{1} << 33, (int64_t{1} << 33) + 10}) {
    auto x = store_link("far-" + std::to_string(key));
    for (auto& v : x.variants) {
      raw->execute("UPDATE variants SET variant_key = " + std::to_string(key)
                   + " + position WHERE variant_key = "
                   + std::to_string(v.key));
      v.key = key + v.position;
    }
    links.push_back(x);
  }
  for (int i = 0; i < 3; ++i) {
    for (const auto& x : links)
      for (size_t variant = 0; variant < 2; ++variant)
        events.add(new_click(x, variant, moment(12, i)));
    auto unknown = new_click(links.back(), 0, moment(12, i));
    unknown.variant_key += 5;
    events.add(unknown);
    const auto stored = store(events);
    EXPECT_EQ(stored.clicks, 8);
    EXPECT_EQ(stored.orphans, 1);
  }
  for (const auto& x : links)
    EXPECT_EQ(summary(x).total_clicks, 6);
}

TEST_P(few_clicks_test, a_repair_settles_all) {
  auto x = store_link("few-1");
  store_few(x, 6, "Firefox");
  raw->execute("INSERT INTO variant_totals SELECT link_key, variant_key, 41, 0,"
               " 0 FROM variants WHERE true ON CONFLICT (link_key, variant_key)"
               " DO UPDATE SET clicks = 41");
  auto lines = db->verify(true);
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->size(), 2u);
  expect_settled(12, 0);
  EXPECT_EQ(report(x).unique_visitors, 4);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(few_clicks_test, visitors_are_kept_until_their_clicks_are_settled) {
  auto x = store_link("few-1");
  auto y = store_link("few-2");
  store_click(x, 0, moment(12), 1);
  // Those of the first day would be forgotten with this batch, which has some.
  events.add(new_click(x, 0, moment(13), 1));
  events.add(new_click(y, 0, moment(13, 0, 4), 1));
  store(events);
  auto found = report(x);
  EXPECT_EQ(found.unique_visitors, 1);
  store_click(y, 0, moment(14, 0, 4), 2);
  store_click(x, 0, moment(14), 1);
  found = report(x);
  ASSERT_EQ(found.days.size(), 1u);
  EXPECT_EQ(found.days[0].clicks, 3);
  EXPECT_EQ(found.unique_visitors, 1);
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
