#include "tests/http/fixture.hpp"

using namespace turnout;
using namespace turnout::test;

namespace {

namespace json = boost::json;

class winner_http_test : public http_test {
protected:
  /// Fills the report of a link with evidence for its variant b.
  turnout::link add_recommended(bool auto_winner) {
    auto x = add_link();
    x.auto_winner = auto_winner;
    winner_evidence y;
    y.subject = x;
    y.started_at = x.created_at;
    y.strata.push_back({1, 1, {}});
    for (const auto& v : x.variants)
      y.strata[0].weights.emplace_back(v.id, v.weight);
    y.counts = {{1, x.variants[0].id, 600, 24}, {1, x.variants[1].id, 400, 48}};
    winner_check check;
    check.trigger = winner_trigger::conversion;
    check.conversion_id = uuid{9, 9};
    y.recommended = recommend(y, check, x.created_at);
    actors.report_of_winner = report_winner(y, x.created_at);
    return x;
  }

  json::object read(const turnout::link& x) {
    auto out = api(http_method::get,
                   "/public/links/" + x.id.str() + "/analytics/winner");
    EXPECT_EQ(out->status(), 200);
    return out->json().as_object();
  }
};

} // namespace

TEST_F(winner_http_test, shows_every_field) {
  const auto x = add_recommended(true);
  const auto y = read(x);
  std::vector<std::string> names;
  for (const auto& member : y)
    names.emplace_back(member.key());
  const std::vector<std::string> expected{"status",
                                          "reason",
                                          "auto_winner",
                                          "threshold",
                                          "total_clicks",
                                          "total_conversions",
                                          "remaining_clicks",
                                          "leading_variant",
                                          "recommended_variant",
                                          "recommended_variant_id",
                                          "confidence",
                                          "confidence_target",
                                          "evidence",
                                          "evidence_required",
                                          "estimated_clicks_to_decision",
                                          "weights_changed",
                                          "evaluation_started_at",
                                          "evaluated_at",
                                          "method",
                                          "variants",
                                          "recommendation",
                                          "warnings",
                                          "summary"};
  EXPECT_EQ(names, expected);
  EXPECT_EQ(y.at("status"), "recommended");
  EXPECT_EQ(y.at("reason"), "recommendation_made");
  EXPECT_EQ(y.at("auto_winner"), true);
  EXPECT_EQ(y.at("threshold"), 100);
  EXPECT_EQ(y.at("total_clicks"), 1000);
  EXPECT_EQ(y.at("total_conversions"), 72);
  EXPECT_EQ(y.at("remaining_clicks"), 0);
  EXPECT_EQ(y.at("leading_variant"), "b");
  EXPECT_EQ(y.at("recommended_variant"), "b");
  EXPECT_EQ(y.at("recommended_variant_id").as_string(), x.variants[1].id.str());
  EXPECT_DOUBLE_EQ(y.at("confidence_target").as_double(), 0.95);
  EXPECT_DOUBLE_EQ(y.at("evidence_required").as_double(), 40);
  EXPECT_GE(y.at("evidence").as_double(), 40);
  EXPECT_NEAR(y.at("confidence").as_double(),
              1 - 2 / y.at("evidence").as_double(), 1e-12);
  EXPECT_TRUE(y.at("estimated_clicks_to_decision").is_null());
  EXPECT_EQ(y.at("weights_changed"), false);
  EXPECT_EQ(y.at("method"), "share-evidence-1");
  EXPECT_TRUE(y.at("warnings").as_array().empty());
  EXPECT_FALSE(y.at("summary").as_string().empty());
}

TEST_F(winner_http_test, shows_each_variant) {
  const auto x = add_recommended(true);
  const auto y = read(x);
  const auto& variants = y.at("variants").as_array();
  ASSERT_EQ(variants.size(), 2u);
  const auto& b = variants[1].as_object();
  EXPECT_EQ(b.at("variant_id").as_string(), x.variants[1].id.str());
  EXPECT_EQ(b.at("label"), "b");
  EXPECT_EQ(b.at("weight"), 40);
  EXPECT_EQ(b.at("clicks"), 400);
  EXPECT_EQ(b.at("conversions"), 48);
  EXPECT_DOUBLE_EQ(b.at("conversion_rate").as_double(), 0.12);
  EXPECT_DOUBLE_EQ(b.at("adjusted_rate").as_double(), 0.12);
  const auto& interval = b.at("credible_interval").as_object();
  EXPECT_LT(interval.at("lower").as_double(), 0.12);
  EXPECT_GT(interval.at("upper").as_double(), 0.12);
  EXPECT_DOUBLE_EQ(interval.at("level").as_double(), 0.95);
  EXPECT_GT(b.at("probability_to_be_best").as_double(), 0.99);
  EXPECT_LT(b.at("expected_loss").as_double(), 0.001);
  const auto& lift = b.at("lift").as_object();
  EXPECT_EQ(lift.at("versus"), "a");
  EXPECT_NEAR(lift.at("estimate").as_double(), 2, 1e-9);
  EXPECT_GT(lift.at("lower").as_double(), 0);
  EXPECT_GT(lift.at("upper").as_double(), 2);
  EXPECT_EQ(b.at("contender"), true);
  EXPECT_EQ(variants[0].at("contender"), false);
  EXPECT_EQ(b.size(), 13u);
}

TEST_F(winner_http_test, shows_the_stored_recommendation) {
  const auto x = add_recommended(true);
  const auto y = read(x);
  const auto& made = y.at("recommendation").as_object();
  EXPECT_EQ(made.at("variant_id").as_string(), x.variants[1].id.str());
  EXPECT_EQ(made.at("label"), "b");
  EXPECT_EQ(made.at("trigger"), "conversion");
  EXPECT_EQ(made.at("conversion_id").as_string(), (uuid{9, 9}).str());
  EXPECT_EQ(made.at("threshold"), 100);
  EXPECT_DOUBLE_EQ(made.at("alpha").as_double(), 0.05);
  EXPECT_EQ(made.at("evidence"), y.at("evidence"));
  EXPECT_EQ(made.at("variants"), y.at("variants"));
  EXPECT_EQ(
    made.at("strata"),
    json::parse(
      R"([{"weights":[60,40],"clicks":[600,400],"conversions":[24,48]}])"));
  EXPECT_EQ(made.size(), 13u);
}

TEST_F(winner_http_test, nothing_known_is_null) {
  auto x = add_link();
  winner_evidence y;
  y.subject = x;
  actors.report_of_winner = report_winner(y, x.created_at);
  const auto z = read(x);
  EXPECT_EQ(z.at("status"), "collecting");
  EXPECT_EQ(z.at("reason"), "threshold_not_reached");
  EXPECT_EQ(z.at("remaining_clicks"), 100);
  for (auto name :
       {"leading_variant", "recommended_variant", "recommended_variant_id",
        "estimated_clicks_to_decision", "recommendation"})
    EXPECT_TRUE(z.at(name).is_null()) << name;
  const auto& a = z.at("variants").at(0).as_object();
  EXPECT_TRUE(a.at("conversion_rate").is_null());
  EXPECT_TRUE(a.at("adjusted_rate").is_null());
  EXPECT_TRUE(a.at("lift").at("estimate").is_null());
  EXPECT_TRUE(a.at("lift").at("upper").is_null());
  EXPECT_DOUBLE_EQ(a.at("lift").at("lower").as_double(), -1);
}

TEST_F(winner_http_test, unknown_links_are_404) {
  auto out = api(http_method::get,
                 "/public/links/" + uuid{1, 1}.str() + "/analytics/winner");
  EXPECT_EQ(out->status(), 404);
  EXPECT_EQ(out->detail(), "Link not found");
  out = api(http_method::get, "/public/links/abc/analytics/winner");
  EXPECT_EQ(out->status(), 400);
}
