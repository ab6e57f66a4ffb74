#include "tests/storage/contract/fixture.hpp"

#include <thread>

namespace turnout::test {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class winner_test : public store_test {
protected:
  winner_evidence evidence_of(const link& x) {
    auto found = db->evidence(x.id);
    if (!found || !*found)
      throw std::runtime_error{"no evidence of " + x.slug};
    return **found;
  }

  /// Converts a click at once.
  link_totals convert(const link& x, const click& y, timestamp at) {
    auto request = new_conversion(x, at);
    request.click_id = y.id;
    auto result = db->add_conversion(owner, request);
    if (!result)
      throw std::runtime_error{detail(result.error())};
    return result->totals;
  }

  recommendation new_recommendation(const link& x, size_t best) {
    recommendation y;
    y.link_key = x.key;
    y.generation = x.generation;
    y.variant_id = x.variants[best].id;
    y.label = x.variants[best].label;
    y.decided_at = moment(13) + std::chrono::microseconds{17};
    y.trigger = winner_trigger::conversion;
    y.conversion_id = make_uuid(moment(13));
    y.threshold = 100;
    y.ln_evidence = 1.0 / 3 + 5;
    y.strata.push_back({{50, 50}, {1000, 1001}, {40, 80}});
    y.strata.push_back({{90, 10}, {7, 0}, {0, 0}});
    for (const auto& v : x.variants) {
      auto& z = y.variants.emplace_back();
      z.variant_id = v.id;
      z.label = v.label;
      z.weight = v.weight;
      z.numbers.clicks = 1007;
      z.numbers.conversions = 40;
      z.numbers.adjusted_clicks = 1000.0 / 7;
      z.numbers.credible_lower = 0.1;
      z.numbers.credible_upper = 1e-300;
      z.numbers.probability_to_be_best = 7.76082e-05;
      z.numbers.expected_loss = 1.0 / 7;
      z.numbers.rival = 1 - (y.variants.size() - 1);
      z.numbers.lift_lower = -1;
      z.numbers.lift_upper = 2.5;
      z.numbers.ln_evidence = -0.25;
      z.numbers.contender = y.variants.size() == 1;
    }
    return y;
  }
};

} // namespace

TURNOUT_CONTRACT_SUITE(winner_test);

TEST_P(winner_test, evidence_of_a_new_link_is_empty) {
  auto x = store_link("new-1");
  auto y = evidence_of(x);
  EXPECT_EQ(y.subject, x);
  EXPECT_EQ(y.started_at, x.created_at);
  EXPECT_THAT(y.strata, ElementsAre(current_stratum(x)));
  EXPECT_THAT(y.counts, IsEmpty());
  EXPECT_FALSE(y.recommended);
  auto unknown = db->evidence(make_uuid(now()));
  ASSERT_TRUE(unknown);
  EXPECT_FALSE(*unknown);
}

TEST_P(winner_test, evidence_counts_first_visits_by_variant) {
  auto x = store_link("count-1");
  auto other = store_link("count-2");
  auto first = store_click(x, 0, moment(1), 1);
  auto second = store_click(x, 1, moment(1), 2);
  store_click(x, 1, moment(2), 3);
  store_click(other, 1, moment(2), 3);
  auto again = new_click(x, 0, moment(3), 1);
  again.is_repeat = true;
  events.add(again);
  store(events);
  convert(x, second, moment(4));
  convert(x, again, moment(4));
  EXPECT_THAT(evidence_of(x).counts,
              UnorderedElementsAre(evidence_row{1, x.variants[0].id, 1, 0},
                                   evidence_row{1, x.variants[1].id, 2, 1}));
  convert(x, first, moment(5));
  EXPECT_THAT(evidence_of(x).counts,
              UnorderedElementsAre(evidence_row{1, x.variants[0].id, 1, 1},
                                   evidence_row{1, x.variants[1].id, 2, 1}));
}

TEST_P(winner_test, late_conversions_count_where_their_click_was_routed) {
  auto x = store_link("late-1");
  auto early = store_click(x, 0, moment(1), 1);
  auto y = change_variants(
    x, {{"A", "https://a.example/", 90}, {"B", "https://b.example/", 10}});
  ASSERT_EQ(y.generation, x.generation);
  auto late = store_click(y, 1, moment(2), 2);
  convert(y, early, moment(3));
  convert(y, late, moment(3));
  auto z = evidence_of(y);
  EXPECT_THAT(z.counts, UnorderedElementsAre(
                          evidence_row{x.stratum, x.variants[0].id, 1, 1},
                          evidence_row{y.stratum, x.variants[1].id, 1, 1}));
  EXPECT_THAT(z.strata, ElementsAre(current_stratum(x), current_stratum(y)));
  EXPECT_EQ(z.started_at, x.created_at);
}

TEST_P(winner_test, evidence_starts_again_with_a_new_page) {
  auto x = store_link("page-1");
  auto early = store_click(x, 0, moment(1), 1);
  auto y = change_variants(
    x, {{"A", "https://new.example/", 50}, {"B", "https://b.example/", 50}});
  ASSERT_GT(y.generation, x.generation);
  convert(y, early, moment(3));
  auto z = evidence_of(y);
  EXPECT_THAT(z.counts, IsEmpty());
  EXPECT_THAT(z.strata, ElementsAre(current_stratum(y)));
  EXPECT_EQ(z.started_at, y.updated_at);
  store_click(y, 0, moment(4), 2);
  EXPECT_THAT(evidence_of(y).counts,
              ElementsAre(evidence_row{y.stratum, y.variants[0].id, 1, 0}));
}

TEST_P(winner_test, evidence_outlives_purged_clicks) {
  auto x = store_link("purge-1");
  auto y = store_click(x, 0, moment(1), 1);
  convert(x, y, moment(2));
  auto before = evidence_of(x).counts;
  ASSERT_TRUE(db->purge_clicks(first_day() + 1));
  EXPECT_EQ(evidence_of(x).counts, before);
  expect_verified();
}

TEST_P(winner_test, keeps_every_field_of_a_recommendation) {
  auto x = store_link("field-1");
  x.variants[0].label = "A b\"c ü";
  auto y = new_recommendation(x, 1);
  auto result = db->add_recommendation(y);
  ASSERT_TRUE(result) << detail(result.error());
  EXPECT_TRUE(result->added);
  EXPECT_EQ(result->stored, y);
  auto stored = evidence_of(x).recommended;
  ASSERT_TRUE(stored);
  EXPECT_EQ(*stored, y);
}

TEST_P(winner_test, a_recommendation_is_made_once_for_a_generation) {
  auto x = store_link("once-1");
  auto first = new_recommendation(x, 1);
  ASSERT_TRUE(db->add_recommendation(first));
  auto second = new_recommendation(x, 0);
  auto result = db->add_recommendation(second);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->added);
  EXPECT_EQ(result->stored, first);
  // A new page, a new round.
  auto y = change_variants(
    x, {{"A", "https://new.example/", 50}, {"B", "https://b.example/", 50}});
  EXPECT_FALSE(evidence_of(y).recommended);
  auto third = new_recommendation(y, 0);
  result = db->add_recommendation(third);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->added);
  EXPECT_EQ(evidence_of(y).recommended, third);
}

TEST_P(winner_test, refuses_a_recommendation_of_an_unknown_link) {
  auto x = store_link("none-1");
  auto y = new_recommendation(x, 1);
  y.link_key += 1000;
  auto result = db->add_recommendation(y);
  ASSERT_FALSE(result);
  EXPECT_EQ(code_of(result.error()), ec::not_found);
}

TEST_P(winner_test, nodes_that_decide_at_once_get_one_recommendation) {
  constexpr size_t num_nodes = 4;
  auto x = store_link("race-1");
  std::vector<recommendation> results(num_nodes);
  std::vector<int> added(num_nodes);
  std::vector<std::thread> nodes;
  for (size_t i = 0; i < num_nodes; ++i)
    nodes.emplace_back([&, i] {
      auto connection = open();
      auto y = new_recommendation(x, i % 2);
      y.threshold = static_cast<int>(i);
      if (auto result = connection->add_recommendation(y)) {
        results[i] = result->stored;
        added[i] = result->added;
      }
    });
  for (auto& node : nodes)
    node.join();
  EXPECT_EQ(std::count(added.begin(), added.end(), 1), 1);
  for (const auto& y : results)
    EXPECT_EQ(y, results[0]);
  EXPECT_EQ(evidence_of(x).recommended, results[0]);
}

TEST_P(winner_test, totals_say_what_the_judge_needs) {
  auto x = new_link("totals-1");
  x.auto_winner = true;
  auto made = db->create_link(x, std::nullopt);
  ASSERT_TRUE(made);
  x = made->created;
  auto y = new_click(x, 0, moment(1), 1);
  events.add(y);
  auto stored = store(events);
  ASSERT_EQ(stored.totals.size(), 1u);
  EXPECT_TRUE(stored.totals[0].auto_winner);
  EXPECT_EQ(stored.totals[0].version, x.version);
  EXPECT_FALSE(stored.totals[0].last_conversion);
  auto request = new_conversion(x, moment(2));
  request.click_id = y.id;
  events.add(request);
  stored = store(events);
  ASSERT_EQ(stored.totals.size(), 1u);
  EXPECT_EQ(stored.totals[0].last_conversion, request.id);
  auto z = store_click(x, 1, moment(3), 2);
  request = new_conversion(x, moment(4));
  request.click_id = z.id;
  auto result = db->add_conversion(owner, request);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->totals.last_conversion, request.id);
  // A repeat is nothing new.
  request.id = make_uuid(moment(5));
  result = db->add_conversion(owner, request);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->totals.last_conversion);
  auto other = store_link("totals-2");
  events.add(new_click(other, 0, moment(1), 1));
  for (const auto& touched : store(events).totals)
    EXPECT_FALSE(touched.auto_winner);
}

} // namespace turnout::test
