#include "core/winner_report.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

namespace json = boost::json;

namespace turnout {

namespace {

json::value load() {
  std::ifstream in{TEST_DESIGN_DIR "/winner-golden.json"};
  std::stringstream text;
  text << in.rdbuf();
  return json::parse(text.str());
}

template <class T>
void read(const json::value& x, std::array<T, max_compared>& out) {
  size_t i = 0;
  for (const auto& y : x.as_array())
    out.at(i++) = y.to_number<T>();
}

evidence_table table_of(const json::value& x) {
  evidence_table result;
  result.size = x.at("variants").as_array().size();
  for (const auto& y : x.at("strata").as_array()) {
    auto& counts = result.strata.emplace_back();
    read(y.at("weights"), counts.weights);
    read(y.at("clicks"), counts.clicks);
    read(y.at("conversions"), counts.conversions);
  }
  result.weights = result.strata.back().weights;
  return result;
}

/// A link in the state of a golden case, as a store would tell it.
winner_evidence evidence_of_case(const json::value& x) {
  const auto table = table_of(x);
  winner_evidence result;
  result.subject.auto_winner = true;
  result.subject.auto_winner_threshold = x.at("threshold").to_number<int>();
  for (size_t i = 0; i < table.size; ++i) {
    variant v;
    v.id = uuid{1, i + 1};
    v.label = "v" + std::to_string(i);
    v.weight = table.weights[i];
    result.subject.variants.push_back(v);
  }
  for (size_t e = 0; e < table.strata.size(); ++e) {
    auto& y = result.strata.emplace_back();
    y.number = static_cast<int>(e) + 1;
    for (size_t i = 0; i < table.size; ++i) {
      const uuid id{1, i + 1};
      y.weights.emplace_back(id, table.strata[e].weights[i]);
      result.counts.push_back({y.number, id, table.strata[e].clicks[i],
                               table.strata[e].conversions[i]});
    }
  }
  return result;
}

/// Compares to seven digits, which is what the file has: 1e-6 of the value,
/// and never more than 1e-6.
void expect_same(const json::value& expected, std::optional<double> actual,
                 const std::string& what) {
  SCOPED_TRACE(what);
  if (expected.is_null()) {
    EXPECT_FALSE(actual);
    return;
  }
  ASSERT_TRUE(actual);
  const auto x = expected.to_number<double>();
  EXPECT_NEAR(*actual, x, 1e-6 * std::max(std::abs(x), 1e-12));
}

} // namespace

TEST(winner_golden, every_number_of_every_case) {
  const auto cases = load();
  ASSERT_EQ(cases.as_array().size(), 12u);
  for (const auto& x : cases.as_array()) {
    SCOPED_TRACE(json::serialize(x.at("name")));
    const auto table = table_of(x);
    const auto numbers = explain(table);
    for (size_t i = 0; i < table.size; ++i) {
      SCOPED_TRACE("variant " + std::to_string(i));
      const auto& y = x.at("variants").at(i);
      const auto& z = numbers[i];
      EXPECT_EQ(z.clicks, y.at("clicks").as_int64());
      EXPECT_EQ(z.conversions, y.at("conversions").as_int64());
      ASSERT_TRUE(z.rival);
      EXPECT_EQ(static_cast<int64_t>(*z.rival), y.at("rival").as_int64());
      const auto expect = [&](const char* name, std::optional<double> actual) {
        expect_same(y.at(name), actual, name);
      };
      expect("adjusted_clicks", z.adjusted_clicks);
      expect("credible_lower", z.credible_lower);
      expect("credible_upper", z.credible_upper);
      expect("probability_to_be_best", z.probability_to_be_best);
      expect("expected_loss", z.expected_loss);
      expect("lift", z.lift);
      expect("lift_lower", z.lift_lower);
      expect("lift_upper", z.lift_upper);
      expect("ln_evidence", z.ln_evidence);
    }
  }
}

TEST(winner_golden, every_report) {
  const auto cases = load();
  for (const auto& x : cases.as_array()) {
    SCOPED_TRACE(json::serialize(x.at("name")));
    const auto evidence = evidence_of_case(x);
    const auto report = report_winner(evidence, timestamp{});
    const auto status = std::string{x.at("status").as_string()};
    EXPECT_EQ(to_string(report.status), status);
    EXPECT_EQ(report.remaining_clicks, x.at("remaining_clicks").as_int64());
    expect_same(x.at("ln_evidence"), report.ln_evidence, "ln_evidence");
    expect_same(x.at("evidence"), evidence_of(report.ln_evidence), "evidence");
    expect_same(x.at("confidence"), confidence_of(report.ln_evidence),
                "confidence");
    const auto top
      = "v" + std::to_string(x.at("top_evidence_variant").as_int64());
    EXPECT_EQ(report.recommended_variant, status == "recommended" ? top : "");
    if (report.total_conversions > 0 && report.ln_evidence > 0) {
      EXPECT_EQ(report.leading_variant, top);
    }
    // What is shown is what is latched.
    const auto made = recommend(evidence, {}, timestamp{});
    EXPECT_EQ(made.has_value(), status == "recommended");
    if (made) {
      EXPECT_EQ(made->label, top);
      EXPECT_EQ(made->ln_evidence, report.ln_evidence);
      EXPECT_EQ(made->variants, report.variants);
    }
  }
}

} // namespace turnout
