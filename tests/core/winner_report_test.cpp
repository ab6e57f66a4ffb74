#include "core/winner_report.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace turnout {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using row = std::vector<int64_t>;

const timestamp at{std::chrono::hours{500'000}};

/// Evidence of a link whose variants are called A, B, ...
struct winner_report_test : testing::Test {
  winner_evidence x;

  winner_report_test() {
    x.subject.key = 9;
    x.subject.auto_winner = true;
    x.subject.auto_winner_threshold = 100;
  }

  uuid id(size_t i) {
    return {1, i + 1};
  }

  void set_weights(const std::vector<int>& weights) {
    auto& variants = x.subject.variants;
    variants.resize(weights.size());
    for (size_t i = 0; i < weights.size(); ++i) {
      variants[i].id = id(i);
      variants[i].label = std::string(1, static_cast<char>('A' + i));
      variants[i].weight = weights[i];
    }
  }

  void add(const std::vector<int>& weights, const row& clicks,
           const row& conversions) {
    set_weights(weights);
    auto& y = x.strata.emplace_back();
    y.number = static_cast<int>(x.strata.size());
    for (size_t i = 0; i < weights.size(); ++i) {
      y.weights.emplace_back(id(i), weights[i]);
      x.counts.push_back({y.number, id(i), clicks[i], conversions[i]});
    }
  }

  winner_report report() {
    return report_winner(x, at);
  }

  std::string status_and_reason() {
    const auto y = report();
    return std::string{to_string(y.status)} + " " + y.reason;
  }
};

} // namespace

TEST_F(winner_report_test, tiny_numbers_name_nobody) {
  x.subject.auto_winner_threshold = 10;
  add({50, 50}, {5, 5}, {3, 1});
  EXPECT_EQ(status_and_reason(), "undecided not_enough_evidence");
  EXPECT_EQ(report().leading_variant, "A");
  EXPECT_EQ(report().recommended_variant, "");
  EXPECT_FALSE(report().recommended_variant_id);
  EXPECT_THAT(report().summary, HasSubstr("Not yet: A converts 60.0 %"));
  EXPECT_FALSE(recommend(x, {}, at));
}

TEST_F(winner_report_test, the_threshold_is_met_by_the_hundredth_click) {
  add({50, 50}, {49, 50}, {0, 30});
  EXPECT_EQ(status_and_reason(), "collecting threshold_not_reached");
  EXPECT_EQ(report().remaining_clicks, 1);
  EXPECT_EQ(report().recommended_variant, "");
  EXPECT_FALSE(recommend(x, {}, at));
  ++x.counts[0].clicks;
  EXPECT_EQ(status_and_reason(), "recommended enough_evidence");
  EXPECT_EQ(report().recommended_variant, "B");
  EXPECT_TRUE(recommend(x, {}, at));
}

TEST_F(winner_report_test, without_conversions_nobody_leads) {
  add({50, 50}, {80, 70}, {0, 0});
  EXPECT_EQ(status_and_reason(), "undecided no_conversions");
  const auto y = report();
  EXPECT_EQ(y.leading_variant, "");
  EXPECT_EQ(y.ln_evidence, 0);
  EXPECT_FALSE(y.variants[0].numbers.lift);
  EXPECT_THAT(y.warnings, IsEmpty());
  EXPECT_FALSE(y.estimated_clicks);
}

TEST_F(winner_report_test, without_clicks_there_are_no_rates) {
  add({50, 50}, {0, 0}, {0, 0});
  const auto y = report();
  EXPECT_EQ(status_and_reason(), "collecting threshold_not_reached");
  EXPECT_FALSE(y.variants[0].numbers.conversion_rate());
  EXPECT_FALSE(y.variants[0].numbers.adjusted_rate());
  EXPECT_NEAR(y.variants[0].numbers.probability_to_be_best, 0.5, 1e-9);
  EXPECT_NEAR(y.variants[0].numbers.credible_upper, 0.975, 1e-9);
}

TEST_F(winner_report_test, equals_are_a_tie) {
  add({50, 50}, {1000, 1000}, {50, 50});
  EXPECT_EQ(status_and_reason(), "undecided not_enough_evidence");
  EXPECT_EQ(report().leading_variant, "");
  EXPECT_EQ(report().summary, "Not yet: no variant is ahead.");
}

TEST_F(winner_report_test, geo_links_are_not_compared) {
  add({50, 50}, {500, 500}, {5, 100});
  x.subject.routing = routing_type::geo;
  EXPECT_EQ(status_and_reason(), "not_applicable geo_routing");
  EXPECT_EQ(report().recommended_variant, "");
  EXPECT_FALSE(recommend(x, {}, at));
}

TEST_F(winner_report_test, one_active_variant_is_not_compared) {
  add({50, 50}, {500, 500}, {5, 100});
  const auto made = recommend(x, {}, at);
  ASSERT_TRUE(made);
  add({0, 100}, {0, 10}, {0, 1});
  EXPECT_EQ(status_and_reason(), "not_applicable single_active_variant");
  EXPECT_FALSE(recommend(x, {}, at));
  x.recommended = made;
  EXPECT_EQ(status_and_reason(), "not_applicable single_active_variant");
  EXPECT_EQ(report().recommended, made);
  EXPECT_THAT(report().summary, HasSubstr("B was recommended on "));
}

TEST_F(winner_report_test, impossible_counters_are_not_interpreted) {
  add({50, 50}, {500, 500}, {5, 501});
  EXPECT_EQ(status_and_reason(), "not_applicable inconsistent_counts");
  EXPECT_THAT(report().variants, IsEmpty());
  EXPECT_FALSE(recommend(x, {}, at));
}

TEST_F(winner_report_test, a_paused_variant_is_neither_rival_nor_winner) {
  add({34, 33, 33}, {500, 500, 500}, {20, 90, 20});
  EXPECT_EQ(report().recommended_variant, "B");
  // Paused while the best.
  add({50, 0, 50}, {0, 0, 0}, {0, 0, 0});
  EXPECT_EQ(status_and_reason(), "undecided not_enough_evidence");
  EXPECT_FALSE(report().variants[1].numbers.contender);
  EXPECT_EQ(report().variants[1].numbers.ln_evidence, 0);
  EXPECT_EQ(report().variants[0].numbers.rival, 2u);
}

TEST_F(winner_report_test, contenders_are_those_that_nobody_beats) {
  add({34, 33, 33}, {2000, 2000, 2000}, {80, 160, 170});
  const auto y = report();
  EXPECT_EQ(y.status, winner_status::undecided);
  EXPECT_FALSE(y.variants[0].numbers.contender);
  EXPECT_TRUE(y.variants[1].numbers.contender);
  EXPECT_TRUE(y.variants[2].numbers.contender);
}

TEST_F(winner_report_test, a_recommendation_stands) {
  add({50, 50}, {1000, 1000}, {40, 80});
  const auto made = recommend(x, {}, at);
  ASSERT_TRUE(made);
  x.recommended = made;
  EXPECT_FALSE(recommend(x, {}, at)) << "once";
  x.counts[0].conversions = 200;
  const auto y = report();
  EXPECT_EQ(status_and_reason(), "recommended recommendation_made");
  EXPECT_EQ(y.recommended_variant, "B");
  EXPECT_EQ(y.recommended, made);
  EXPECT_LT(y.ln_evidence, 30);
  EXPECT_EQ(y.leading_variant, "A");
  EXPECT_FALSE(y.estimated_clicks);
}

TEST_F(winner_report_test, a_recommendation_says_what_it_rests_on) {
  add({50, 50}, {1000, 1000}, {40, 80});
  winner_check check;
  check.trigger = winner_trigger::conversion;
  check.conversion_id = uuid{7, 7};
  const auto made = recommend(x, check, at);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->link_key, 9);
  EXPECT_EQ(made->generation, 1);
  EXPECT_EQ(made->variant_id, id(1));
  EXPECT_EQ(made->label, "B");
  EXPECT_EQ(made->decided_at, at);
  EXPECT_EQ(made->trigger, winner_trigger::conversion);
  EXPECT_EQ(made->conversion_id, (uuid{7, 7}));
  EXPECT_EQ(made->method, "share-evidence-1");
  EXPECT_EQ(made->threshold, 100);
  ASSERT_EQ(made->strata.size(), 1u);
  // The stored table gives the stored evidence again.
  evidence_table again;
  again.size = 2;
  again.weights = made->strata[0].weights;
  again.strata = made->strata;
  EXPECT_EQ(ln_evidence(again, 1), made->ln_evidence);
}

TEST_F(winner_report_test, only_candidates_are_evaluated) {
  add({50, 50}, {1000, 1000}, {40, 80});
  winner_check check;
  check.candidates = {id(0)};
  EXPECT_FALSE(recommend(x, check, at));
  check.candidates = {id(1)};
  EXPECT_TRUE(recommend(x, check, at));
  check.candidates = {uuid{3, 3}};
  EXPECT_FALSE(recommend(x, check, at));
}

TEST_F(winner_report_test, nothing_is_recommended_unasked) {
  add({50, 50}, {1000, 1000}, {40, 80});
  x.subject.auto_winner = false;
  EXPECT_FALSE(recommend(x, {}, at));
  EXPECT_EQ(status_and_reason(), "recommended enough_evidence");
  EXPECT_FALSE(report().recommended);
  x.subject.auto_winner = true;
  x.subject.is_deleted = true;
  EXPECT_FALSE(recommend(x, {}, at));
}

TEST_F(winner_report_test, strata_of_equal_weights_are_one) {
  add({50, 50}, {100, 110}, {10, 12});
  add({90, 10}, {500, 50}, {20, 3});
  const auto apart = make_table(x);
  EXPECT_TRUE(report().weights_changed);
  add({50, 50}, {200, 210}, {11, 13});
  const auto table = make_table(x);
  ASSERT_EQ(table.strata.size(), 2u);
  EXPECT_EQ(table.strata[0].clicks[1], 320);
  EXPECT_EQ(table.strata[0].conversions[0], 21);
  EXPECT_EQ(table.strata[1], apart.strata[1]);
  // The same as with strata of their own.
  auto split = apart;
  split.weights = table.weights;
  split.strata.push_back({{50, 50}, {200, 210}, {11, 13}});
  EXPECT_NEAR(ln_evidence(split, 1), ln_evidence(table, 1), 1e-12);
}

TEST_F(winner_report_test, retired_variants_and_foreign_rows_are_left_out) {
  add({50, 50}, {100, 100}, {10, 12});
  x.subject.variants.push_back(x.subject.variants[0]);
  x.subject.variants[2].id = id(2);
  x.subject.variants[2].retired = true;
  x.counts.push_back({1, id(2), 5, 5});
  x.counts.push_back({77, id(0), 5, 5});
  EXPECT_EQ(make_table(x).size, 2u);
  EXPECT_EQ(report().total_clicks, 200);
}

TEST_F(winner_report_test, warns_of_odds_that_are_not_the_weights) {
  add({50, 50}, {1000, 1000}, {50, 50});
  EXPECT_THAT(report().warnings, IsEmpty());
  x.counts[0].clicks = 1500;
  EXPECT_THAT(report().warnings, ElementsAre("traffic_mismatch"));
}

TEST_F(winner_report_test, warns_of_a_variant_without_conversions) {
  x.subject.auto_winner_threshold = 10;
  add({50, 50}, {30, 30}, {16, 0});
  EXPECT_THAT(report().warnings, ElementsAre("no_conversions:B"));
  EXPECT_EQ(report().recommended_variant, "A");
}

TEST_F(winner_report_test, the_summary_is_a_sentence) {
  add({50, 50}, {1000, 1000}, {40, 80});
  EXPECT_EQ(report().summary,
            "B converts 8.0 % of clicks against 4.0 % for A, twice as well (at "
            "least 12 % better). The evidence is 237:1, 99 % confidence that "
            "holds however often you look.");
}

TEST_F(winner_report_test, estimates_how_long_it_takes) {
  add({50, 50}, {1000, 1000}, {50, 70});
  const auto y = report();
  ASSERT_TRUE(y.estimated_clicks);
  EXPECT_GT(*y.estimated_clicks, 500);
  EXPECT_LT(*y.estimated_clicks, 20'000);
  x.counts[1].conversions = 52;
  EXPECT_FALSE(report().estimated_clicks) << "a lift of 4 %";
}

TEST(winner_limits, evidence_stays_finite) {
  EXPECT_EQ(evidence_of(1e6), std::numeric_limits<double>::max());
  EXPECT_EQ(evidence_of(-1e6), 0);
  EXPECT_EQ(confidence_of(1e6), 1);
  EXPECT_EQ(confidence_of(-1e6), 0);
  EXPECT_NEAR(confidence_of(ln_evidence_required), 0.95, 1e-12);
  EXPECT_NEAR(std::log(evidence_required), ln_evidence_required, 1e-15);
  evidence_table x;
  x.size = 2;
  x.weights = {50, 50};
  x.strata.push_back(
    {{50, 50}, {1'000'000'000, 1'000'000'000}, {1'000, 900'000'000}});
  EXPECT_TRUE(std::isfinite(ln_evidence(x, 1)));
  for (const auto& y : explain(x)) {
    EXPECT_TRUE(std::isfinite(y.probability_to_be_best));
    EXPECT_TRUE(std::isfinite(y.expected_loss));
    EXPECT_TRUE(std::isfinite(y.lift_lower));
  }
}

} // namespace turnout
