#include "actors/winner_watch.hpp"

#include "tests/actors/memory_backend.hpp"

#include <gmock/gmock.h>

namespace turnout {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const uuid link_id{5, 5};
const uuid a{1, 1};
const uuid b{1, 2};

struct winner_watch_test : testing::Test {
  winner_watch watch{link_id};
  storage::link_totals totals;
  uuid last;

  winner_watch_test() {
    totals.link_id = link_id;
    totals.auto_winner = true;
    totals.version = 1;
    totals.variants = {{a, 0, 0, 0}, {b, 0, 0, 0}};
  }

  void click(size_t variant, int64_t n = 1) {
    totals.variants[variant].clicks += n;
    totals.last_conversion = {};
    watch.note(totals);
  }

  void convert(size_t variant) {
    ++totals.variants[variant].conversions;
    ++totals.variants[variant].converted;
    totals.last_conversion = last = make_uuid(now());
    watch.note(totals);
  }

  /// Takes the check that is due and ends it.
  winner_check pass(int64_t missing_clicks = 0) {
    EXPECT_TRUE(watch.is_due());
    auto result = watch.take();
    EXPECT_EQ(result.link_id, link_id);
    watch.finish({false, missing_clicks, std::nullopt});
    return result;
  }
};

} // namespace

TEST_F(winner_watch_test, first_totals_have_everything_evaluated) {
  EXPECT_FALSE(watch.is_due());
  click(0);
  const auto x = pass();
  EXPECT_THAT(x.candidates, IsEmpty());
  EXPECT_EQ(x.trigger, winner_trigger::click);
  EXPECT_FALSE(watch.is_due());
}

TEST_F(winner_watch_test, below_the_threshold_only_clicks_count) {
  click(0, 90);
  pass(10);
  convert(0);
  convert(1);
  click(1, 9);
  EXPECT_FALSE(watch.is_due());
  click(0);
  const auto x = pass(0);
  EXPECT_THAT(x.candidates, IsEmpty());
  EXPECT_EQ(x.trigger, winner_trigger::click);
}

TEST_F(winner_watch_test, repeats_do_not_hide_the_threshold) {
  click(0, 90);
  pass(10);
  // Ten clicks, of which four were repeats: six are still missing.
  click(0, 10);
  pass(4);
  click(0, 3);
  EXPECT_FALSE(watch.is_due());
  click(0, 1);
  EXPECT_TRUE(watch.is_due());
}

TEST_F(winner_watch_test, above_the_threshold_only_conversions_count) {
  click(0, 200);
  pass();
  click(0, 1000);
  EXPECT_FALSE(watch.is_due());
  convert(1);
  const auto x = pass();
  EXPECT_THAT(x.candidates, ElementsAre(b));
  EXPECT_EQ(x.trigger, winner_trigger::conversion);
  EXPECT_EQ(x.conversion_id, last);
}

TEST_F(winner_watch_test, gathers_candidates_until_they_are_taken) {
  click(0, 200);
  pass();
  convert(1);
  convert(0);
  convert(1);
  EXPECT_THAT(pass().candidates, UnorderedElementsAre(a, b));
  EXPECT_FALSE(watch.is_due());
}

TEST_F(winner_watch_test, conversions_during_a_check_are_due_after_it) {
  click(0, 200);
  pass();
  convert(0);
  const auto x = watch.take();
  convert(1);
  watch.finish({false, 0, std::nullopt});
  ASSERT_TRUE(watch.is_due());
  EXPECT_THAT(watch.take().candidates, ElementsAre(b));
}

TEST_F(winner_watch_test, a_failed_check_is_due_again) {
  click(0, 200);
  pass();
  convert(0);
  auto x = watch.take();
  convert(1);
  watch.fail(x);
  EXPECT_THAT(watch.take().candidates, UnorderedElementsAre(a, b));
  watch.note_change();
  watch.fail(watch.take());
  ASSERT_TRUE(watch.is_due());
  EXPECT_THAT(watch.take().candidates, IsEmpty()) << "all";
}

TEST_F(winner_watch_test, a_settled_link_rests_until_it_changes) {
  click(0, 200);
  watch.take();
  watch.finish({true, 0, std::nullopt});
  convert(0);
  convert(1);
  EXPECT_FALSE(watch.is_due());
  ++totals.version;
  click(0);
  EXPECT_THAT(pass().candidates, IsEmpty()) << "all";
}

TEST_F(winner_watch_test, a_change_has_everything_evaluated) {
  click(0, 50);
  pass(50);
  watch.note_change();
  const auto x = pass(50);
  EXPECT_EQ(x.trigger, winner_trigger::change);
  EXPECT_THAT(x.candidates, IsEmpty());
}

TEST_F(winner_watch_test, a_change_during_the_deciding_check_is_not_lost) {
  click(0, 200);
  watch.take();
  watch.note_change();
  watch.finish({true, 0, std::nullopt});
  EXPECT_TRUE(watch.is_due());
}

// -- evaluation ---------------------------------------------------------------

namespace {

struct evaluation_test : testing::Test {
  std::shared_ptr<test::memory_store> store
    = std::make_shared<test::memory_store>();
  test::memory_backend db{store};
  winner_evidence& evidence = store->evidence[link_id];

  evaluation_test() {
    auto& x = evidence.subject;
    x = test::make_link("promo");
    x.id = link_id;
    x.auto_winner = true;
    x.variants[0].id = a;
    x.variants[1].id = b;
    evidence.strata.push_back({1, 1, {{a, 50}, {b, 50}}});
    evidence.counts = {{1, a, 500, 20}, {1, b, 500, 60}};
  }

  winner_verdict evaluate(winner_check check = {}) {
    check.link_id = link_id;
    auto result = evaluate_winner(db, check, now());
    EXPECT_TRUE(result) << detail(result.error());
    return result ? *result : winner_verdict{};
  }
};

} // namespace

TEST_F(evaluation_test, makes_the_recommendation_once) {
  const auto x = evaluate();
  EXPECT_TRUE(x.settled);
  ASSERT_TRUE(x.made);
  EXPECT_EQ(x.made->variant_id, b);
  EXPECT_EQ(evidence.recommended, x.made);
  evidence.counts[0].conversions = 300;
  const auto y = evaluate();
  EXPECT_TRUE(y.settled);
  EXPECT_FALSE(y.made);
  EXPECT_EQ(evidence.recommended, x.made);
  EXPECT_EQ(store->count("add_recommendation"), 1);
}

TEST_F(evaluation_test, another_node_was_faster) {
  // The evidence was read before the other node stored its recommendation.
  store->hook = [&](const std::string& call) {
    if (call == "add_recommendation") {
      recommendation theirs;
      theirs.link_key = evidence.subject.key;
      theirs.label = "theirs";
      evidence.recommended = theirs;
    }
  };
  const auto x = evaluate();
  EXPECT_TRUE(x.settled);
  EXPECT_FALSE(x.made);
  EXPECT_EQ(evidence.recommended->label, "theirs");
}

TEST_F(evaluation_test, counts_the_missing_clicks) {
  evidence.subject.auto_winner_threshold = 1234;
  const auto x = evaluate();
  EXPECT_FALSE(x.settled);
  EXPECT_EQ(x.missing_clicks, 234);
  EXPECT_FALSE(evidence.recommended);
}

TEST_F(evaluation_test, settles_links_that_do_not_ask) {
  evidence.subject.auto_winner = false;
  EXPECT_TRUE(evaluate().settled);
  evidence.subject.auto_winner = true;
  evidence.subject.is_deleted = true;
  EXPECT_TRUE(evaluate().settled);
  store->evidence.clear();
  EXPECT_TRUE(evaluate().settled);
  EXPECT_EQ(store->count("add_recommendation"), 0);
}

TEST_F(evaluation_test, fails_with_the_store) {
  store->down = true;
  EXPECT_FALSE(evaluate_winner(db, {link_id, {}, {}, {}}, now()));
}

TEST_F(winner_watch_test, a_reader_has_everything_evaluated) {
  click(0);
  pass();
  watch.note_overdue();
  const auto x = pass();
  EXPECT_THAT(x.candidates, IsEmpty());
  EXPECT_EQ(x.trigger, winner_trigger::change);
}

TEST_F(winner_watch_test, a_reader_leaves_the_trigger_of_what_is_due) {
  click(0);
  pass();
  convert(1);
  watch.note_overdue();
  const auto x = pass();
  EXPECT_EQ(x.trigger, winner_trigger::conversion);
  EXPECT_EQ(x.conversion_id, last);
  EXPECT_THAT(x.candidates, IsEmpty());
}

TEST_F(winner_watch_test, a_reader_leaves_what_is_under_way) {
  click(0);
  pass();
  convert(1);
  auto x = watch.take();
  watch.note_overdue();
  EXPECT_FALSE(watch.is_due());
  watch.fail(x);
  x = pass();
  EXPECT_EQ(x.trigger, winner_trigger::conversion);
  EXPECT_EQ(x.conversion_id, last);
  // Over, it is asked again.
  watch.note_overdue();
  EXPECT_TRUE(watch.is_due());
}

} // namespace turnout
