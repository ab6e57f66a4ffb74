#include "tests/storage/contract/fixture.hpp"

namespace turnout::test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

class upkeep_test : public store_test {
protected:
  /// Stores some of everything.
  link store_all_kinds(const std::string& slug) {
    auto x = store_link(slug);
    for (auto day = 0; day < 3; ++day) {
      for (auto i = 0; i < 6; ++i) {
        auto y = new_click(x, i % 2, moment(i, 0, day), i / 2);
        y.is_repeat = i % 3 == 2;
        y.country = i % 2 == 0 ? "DE" : "";
        events.add(y);
        if (i % 3 != 1) {
          auto request = new_conversion(x, moment(i + 6, 0, day + 1));
          request.click_id = y.id;
          events.add(request);
        }
      }
    }
    store(events);
    auto request = new_conversion(x, moment(1));
    request.may_be_unattributed = true;
    EXPECT_TRUE(db->add_conversion(owner, request));
    return x;
  }

  std::vector<std::string> verify(bool repair) {
    auto result = db->verify(repair);
    if (!result)
      throw std::runtime_error{detail(result.error())};
    return *result;
  }
};

} // namespace

TURNOUT_CONTRACT_SUITE(upkeep_test);

TEST_P(upkeep_test, answers_a_ping) {
  EXPECT_FALSE(db->ping());
}

TEST_P(upkeep_test, migrates_an_empty_store_and_then_nothing) {
  EXPECT_GE(db->newest_schema_version(), 1);
  auto version = db->schema_version();
  ASSERT_TRUE(version);
  EXPECT_EQ(*version, db->newest_schema_version());
  auto x = store_link("kept-1");
  EXPECT_FALSE(db->migrate());
  auto found = db->load_link(x.id);
  ASSERT_TRUE(found && *found);
}

TEST_P(upkeep_test, refuses_a_newer_store) {
  raw->execute("INSERT INTO schema_migrations VALUES (999, 'future', 0)");
  auto err = db->migrate();
  EXPECT_EQ(code_of(err), ec::schema_too_new);
  EXPECT_THAT(detail(err), HasSubstr("999"));
  EXPECT_THAT(detail(err), HasSubstr("newer Turnout"));
  auto version = db->schema_version();
  ASSERT_TRUE(version);
  EXPECT_EQ(*version, 999);
}

TEST_P(upkeep_test, finds_nothing_wrong_in_what_it_stored) {
  auto x = store_all_kinds("clean-1");
  EXPECT_THAT(verify(false), IsEmpty());
  EXPECT_THAT(verify(true), IsEmpty());
  expect_sums_agree(x);
}

TEST_P(upkeep_test, finds_and_repairs_whatever_was_tampered_with) {
  auto x = store_all_kinds("tampered-1");
  // Otherwise the roll-ups may have nothing to tamper with.
  ASSERT_THAT(verify(true), IsEmpty());
  auto before = report(x);
  for (auto tamper : {
         "UPDATE variant_totals SET clicks = clicks + 1",
         "UPDATE daily SET conversions = conversions + 1",
         "UPDATE daily SET unattributed = 7",
         "DELETE FROM daily",
         "UPDATE daily_visitors SET uniques = uniques - 1",
         "UPDATE daily_values SET clicks = 0",
         "DELETE FROM daily_values WHERE dimension = 2",
         "UPDATE evidence SET conversions = 0",
         "INSERT INTO evidence SELECT link_key, 77, variant_key, 1, 1"
         " FROM variant_totals WHERE variant_key > 0",
         "UPDATE clicks SET is_conversion = 0",
         "UPDATE clicks SET is_conversion = 1",
       }) {
    raw->execute(tamper);
    auto found = verify(false);
    EXPECT_THAT(found, Not(IsEmpty())) << tamper;
    // To look changes nothing.
    EXPECT_EQ(verify(false), found) << tamper;
    EXPECT_THAT(verify(true), Not(IsEmpty())) << tamper;
    EXPECT_THAT(verify(false), IsEmpty()) << tamper;
    expect_sums_agree(x);
    EXPECT_EQ(report(x).unique_visitors, before.unique_visitors);
  }
}

TEST_P(upkeep_test, says_which_link_and_both_numbers) {
  auto x = store_link("named-1");
  // So many that they are not recent (click_runs of the SQLite plugin).
  for (int i = 0; i < 17; ++i)
    events.add(new_click(x, 0, moment(12, i), i));
  store(events);
  raw->execute("UPDATE variant_totals SET clicks = 41");
  auto lines = verify(false);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("variant_totals"));
  EXPECT_THAT(lines[0], HasSubstr("named-1"));
  EXPECT_THAT(lines[0], HasSubstr("clicks=41"));
  EXPECT_THAT(lines[0], HasSubstr("clicks=17 "));
}

// -- purge --------------------------------------------------------------------

TEST_P(upkeep_test, purges_clicks_but_no_sums) {
  auto x = store_all_kinds("purge-1");
  auto before = report(x);
  auto purged = db->purge_clicks(first_day() + 2);
  ASSERT_TRUE(purged) << detail(purged.error());
  EXPECT_EQ(*purged, 12);
  auto after = report(x);
  EXPECT_EQ(summary(x).total_clicks, 18);
  EXPECT_EQ(after.unique_visitors, before.unique_visitors);
  EXPECT_EQ(after.days.size(), before.days.size());
  auto list = db->clicks(owner, x.id, {}, 1, 100);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->total, 18);
  EXPECT_EQ(list->items.size(), 6u);
  EXPECT_THAT(verify(false), IsEmpty());
  // Nothing more to do, and life goes on.
  purged = db->purge_clicks(first_day() + 2);
  ASSERT_TRUE(purged);
  EXPECT_EQ(*purged, 0);
  store_click(x, 0, moment(5, 0, 2), 77);
  EXPECT_THAT(verify(false), IsEmpty());
  EXPECT_EQ(summary(x).total_clicks, 19);
}

TEST_P(upkeep_test, repairs_a_purged_store_without_losing_old_days) {
  auto x = store_all_kinds("purge-2");
  ASSERT_TRUE(db->purge_clicks(first_day() + 1));
  raw->execute("UPDATE variant_totals SET clicks = 0");
  raw->execute("UPDATE evidence SET clicks = 0");
  EXPECT_THAT(verify(true), Not(IsEmpty()));
  EXPECT_THAT(verify(false), IsEmpty());
  EXPECT_EQ(summary(x).total_clicks, 18);
  EXPECT_EQ(report(x).days.size(), 4u);
}

} // namespace turnout::test
