#include "tests/api/harness/api_test.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>

using namespace turnout::test;
using testing::HasSubstr;

namespace {

class winner_test : public api_test {
protected:
  /// Creates a link with variants a and b that asks for a winner.
  json::value make_asking(int threshold = 100, bool auto_winner = true) {
    return make_link({{"name", "test"},
                      {"variants", two_variants()},
                      {"auto_winner", auto_winner},
                      {"auto_winner_threshold", threshold}});
  }

  json::value winner(const json::value& link) {
    auto answer = get(path_of(link, "/analytics/winner"));
    if (answer.status != 200)
      throw std::runtime_error("winner answers " + std::to_string(answer.status)
                               + " " + answer.body.substr(0, 300));
    return answer.json();
  }

  /// Visits a link with a new browser and returns its cookie.
  sticky visit_once(const json::value& link) {
    return sticky_cookie(visit(text(link, "slug")));
  }

  void convert(const json::value& link, const std::string& click_id) {
    auto answer
      = send("GET", "/c/" + text(link, "id") + ".gif?click_id=" + click_id,
             {{"User-Agent", browser}});
    ASSERT_EQ(answer.status, 200);
  }

  /// Visits a link until each variant had its number of clicks at least, and
  /// converts so many of each, spread evenly. Returns the number of visits.
  int play(const json::value& link, int of_each, int convert_a, int convert_b) {
    auto id_a = variant_id(link, "a");
    int seen[2] = {0, 0};
    const int goals[2] = {convert_a, convert_b};
    int visits = 0;
    while (seen[0] < of_each || seen[1] < of_each) {
      auto click = visit_once(link);
      auto i = click.variant_id == id_a ? 0 : 1;
      ++visits;
      ++seen[i];
      if (seen[i] <= of_each
          && seen[i] * goals[i] / of_each != (seen[i] - 1) * goals[i] / of_each)
        convert(link, click.click_id);
    }
    return visits;
  }

  /// Waits until the store has so many clicks and conversions.
  json::value settled(const json::value& link, int64_t clicks,
                      int64_t conversions) {
    auto last = winner(link);
    EXPECT_TRUE(eventually([&] {
      last = winner(link);
      return number(last, "total_clicks") == clicks
             && number(last, "total_conversions") == conversions;
    }))
      << json::serialize(last);
    return last;
  }

  bool is_made(const json::value& link) {
    return !winner(link).at("recommendation").is_null();
  }

  double metric(const std::string& name) {
    http_client client{service->operator_origin()};
    auto body = client.send("GET", "/metrics").body;
    auto pos = body.find("\n" + name + " ");
    if (pos == std::string::npos)
      throw std::runtime_error("no metric " + name);
    return std::stod(body.substr(pos + name.size() + 2));
  }

  double recommendations() {
    return metric("turnout_winner_recommendations_total");
  }
};

std::string status_of(const json::value& x) {
  return text(x, "status") + " " + text(x, "reason");
}

} // namespace

TEST_F(winner_test, a_new_link_collects) {
  auto link = make_asking();
  auto x = winner(link);
  EXPECT_EQ(status_of(x), "collecting threshold_not_reached");
  EXPECT_EQ(x.at("auto_winner"), true);
  EXPECT_EQ(number(x, "threshold"), 100);
  EXPECT_EQ(number(x, "total_clicks"), 0);
  EXPECT_EQ(number(x, "remaining_clicks"), 100);
  EXPECT_TRUE(x.at("recommendation").is_null());
  EXPECT_TRUE(x.at("recommended_variant").is_null());
  EXPECT_TRUE(x.at("leading_variant").is_null());
  EXPECT_EQ(x.at("confidence").to_number<double>(), 0);
  EXPECT_EQ(x.at("evidence").to_number<double>(), 1);
  EXPECT_EQ(text(x, "evaluation_started_at"), text(link, "created_at"));
  EXPECT_THAT(text(x, "evaluated_at"), is_timestamp());
  EXPECT_EQ(text(x, "method"), "share-evidence-1");
  auto a = by_label(x.at("variants"), "a");
  EXPECT_EQ(text(a, "variant_id"), variant_id(link, "a"));
  EXPECT_TRUE(a.at("conversion_rate").is_null());
}

TEST_F(winner_test, case_90_tiny_numbers_name_nobody) {
  auto link = make_asking(10);
  auto visits = play(link, 5, 3, 1);
  while (visits < 10)
    visits += visit_once(link).click_id.empty() ? 0 : 1;
  auto x = settled(link, visits, 4);
  EXPECT_EQ(status_of(x), "undecided not_enough_evidence");
  EXPECT_THAT(text(x, "summary"), HasSubstr("Not yet"));
  EXPECT_FALSE(is_made(link));
}

TEST_F(winner_test, case_90_the_hundredth_click_meets_the_threshold) {
  auto link = make_asking(100);
  // All conversions are b's.
  for (int i = 0; i < 99; ++i) {
    auto click = visit_once(link);
    if (click.variant_id == variant_id(link, "b"))
      convert(link, click.click_id);
  }
  eventually([&] { return number(winner(link), "total_clicks") == 99; });
  settle();
  auto x = winner(link);
  EXPECT_EQ(status_of(x), "collecting threshold_not_reached");
  EXPECT_EQ(number(x, "remaining_clicks"), 1);
  EXPECT_GT(x.at("evidence").to_number<double>(), 40);
  EXPECT_TRUE(x.at("recommendation").is_null());
  EXPECT_TRUE(x.at("recommended_variant").is_null());
  visit_once(link);
  ASSERT_TRUE(eventually([&] { return is_made(link); }));
  auto made = winner(link).at("recommendation");
  EXPECT_EQ(text(made, "label"), "b");
  EXPECT_EQ(text(made, "trigger"), "click");
  EXPECT_TRUE(made.at("conversion_id").is_null());
}

TEST_F(winner_test, case_90_a_winner_is_recommended_once_and_only_that) {
  auto link = make_asking();
  auto visits = play(link, 1200, 48, 96);
  auto x = settled(link, visits, 144);
  ASSERT_TRUE(eventually([&] { return is_made(link); }));
  x = winner(link);
  EXPECT_EQ(status_of(x), "recommended recommendation_made");
  EXPECT_EQ(text(x, "recommended_variant"), "b");
  EXPECT_EQ(text(x, "recommended_variant_id"), variant_id(link, "b"));
  EXPECT_EQ(text(x, "leading_variant"), "b");
  auto made = x.at("recommendation");
  EXPECT_EQ(text(made, "label"), "b");
  EXPECT_EQ(text(made, "trigger"), "conversion");
  EXPECT_THAT(text(made, "conversion_id"), is_uuid());
  EXPECT_GE(made.at("evidence").to_number<double>(), 40);
  EXPECT_GE(made.at("confidence").to_number<double>(), 0.95);
  EXPECT_EQ(made.at("strata").as_array().size(), 1u);
  EXPECT_EQ(made.at("strata").at(0).at("weights"), (json::value{50, 50}));
  // Counted a moment after it can be read, and told after that.
  EXPECT_TRUE(eventually([&] {
    return service->errors().find("winner recommended") != std::string::npos;
  }));
  EXPECT_EQ(recommendations(), 1);
  // The counts are those of the analytics, as nobody came twice.
  auto report = analytics(link);
  EXPECT_EQ(number(report, "total_clicks"), visits);
  for (auto label : {"a", "b"}) {
    auto row = by_label(report.at("variant_performance"), label);
    auto standing = by_label(x.at("variants"), label);
    EXPECT_EQ(number(row, "clicks"), number(standing, "clicks"));
    EXPECT_EQ(number(row, "conversions"), number(standing, "conversions"));
    EXPECT_DOUBLE_EQ(row.at("conversion_rate").to_number<double>(),
                     standing.at("conversion_rate").to_number<double>());
  }
  // Traffic stays as it was.
  auto stored = get(path_of(link)).json();
  for (auto label : {"a", "b"}) {
    auto v = by_label(stored.at("variants"), label);
    EXPECT_EQ(number(v, "weight"), 50);
    EXPECT_EQ(v.at("is_winner"), false);
  }
  // More conversions, even of the other, change the live numbers only.
  auto more = play(link, 150, 150, 0);
  settled(link, visits + more, 294);
  EXPECT_EQ(winner(link).at("recommendation"), made);
  service->restart();
  EXPECT_EQ(winner(link).at("recommendation"), made);
  EXPECT_EQ(recommendations(), 0) << "counted since the start";
  // Promotion ends the comparison; what was recommended stays to be seen.
  auto body = json::value{{"variant_id", variant_id(link, "b")}};
  ASSERT_EQ(post(path_of(link, "/promote-winner"), body).status, 200);
  x = winner(link);
  EXPECT_EQ(status_of(x), "not_applicable single_active_variant");
  EXPECT_EQ(x.at("recommendation"), made);
  // Another page is another test.
  auto variants = two_variants();
  variants[0].as_object()["destination_url"] = "https://new.example/";
  ASSERT_EQ(put(path_of(link, "/variants"), variants).status, 200);
  x = winner(link);
  EXPECT_EQ(status_of(x), "collecting threshold_not_reached");
  EXPECT_EQ(number(x, "total_clicks"), 0);
  EXPECT_TRUE(x.at("recommendation").is_null());
  EXPECT_GT(text(x, "evaluation_started_at"), text(link, "created_at"));
  play(link, 60, 0, 50);
  ASSERT_TRUE(eventually([&] { return is_made(link); }));
  EXPECT_NE(winner(link).at("recommendation"), made);
  expect_sums_agree(link);
}

TEST_F(winner_test, nothing_is_recommended_unasked) {
  auto link = make_asking(100, false);
  auto visits = play(link, 60, 0, 50);
  auto x = settled(link, visits, 50);
  EXPECT_EQ(status_of(x), "recommended enough_evidence");
  EXPECT_EQ(text(x, "recommended_variant"), "b");
  settle();
  EXPECT_FALSE(is_made(link));
  EXPECT_EQ(recommendations(), 0);
  ASSERT_EQ(put(path_of(link), {{"auto_winner", true}}).status, 200);
  ASSERT_TRUE(eventually([&] { return is_made(link); }));
  EXPECT_EQ(text(winner(link).at("recommendation"), "trigger"), "change");
  EXPECT_EQ(eventually_equal(1.0, [&] { return recommendations(); }), 1);
}

TEST_F(winner_test, repeats_are_clicks_but_no_evidence) {
  auto link = make_asking(10);
  auto click = visit_once(link);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(visit(text(link, "slug"), {{"Cookie", click.header()}}).status,
              302);
  convert(link, click.click_id);
  expect_counts(link, 21, 1);
  auto x = winner(link);
  EXPECT_EQ(number(x, "total_clicks"), 1);
  EXPECT_EQ(number(x, "total_conversions"), 1);
  EXPECT_EQ(number(x, "remaining_clicks"), 9);
}

TEST_F(winner_test, late_conversions_count_under_the_weights_of_their_click) {
  auto link = make_asking(100'000);
  auto id_b = variant_id(link, "b");
  auto click = visit_once(link);
  while (click.variant_id != id_b)
    click = visit_once(link);
  ASSERT_EQ(put(path_of(link, "/variants"), two_variants(90, 10)).status, 200);
  convert(link, click.click_id);
  ASSERT_TRUE(
    eventually([&] { return number(winner(link), "total_conversions") == 1; }));
  auto x = winner(link);
  EXPECT_EQ(x.at("weights_changed"), true);
  // One conversion of b at 50:50; at 90:10 it would weigh far more.
  EXPECT_NEAR(by_label(x.at("variants"), "b").at("evidence").as_double(),
              1.1799, 0.0001);
}

TEST_F(winner_test, geo_links_have_no_winner) {
  auto link = make_link({{"name", "geo"},
                         {"variants", two_variants()},
                         {"auto_winner", true},
                         {"routing_type", "geo"},
                         {"geo_rules", {{"US", "a"}, {"default", "b"}}}});
  visit_once(link);
  auto x = winner(link);
  EXPECT_EQ(status_of(x), "not_applicable geo_routing");
  EXPECT_THAT(text(x, "summary"), HasSubstr("country"));
}

TEST_F(winner_test, deleted_and_unknown_links_are_404) {
  auto link = make_asking();
  ASSERT_EQ(del(path_of(link)).status, 204);
  for (auto& path : {path_of(link), links_path + "/" + unknown_id}) {
    auto answer = get(path + "/analytics/winner");
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answer.detail(), "Link not found");
  }
  expect_error(get(links_path + "/abc/analytics/winner"), 400);
}

// -- false recommendations ----------------------------------------------------

namespace {

/// Returns the largest number that a binomial count exceeds with probability
/// 0.001 at most.
int most_of(int n, double rate) {
  auto sum = 0.0;
  for (int k = 0; k < n; ++k) {
    sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0)
                    - std::lgamma(n - k + 1.0) + k * std::log(rate)
                    + (n - k) * std::log1p(-rate));
    if (sum >= 0.999)
      return k;
  }
  return n;
}

class alike_test : public winner_test {
protected:
  /// Visits links whose variants convert alike, several at once, reading the
  /// winner after every conversion; returns how many got a recommendation.
  int recommended_of(size_t links, int visits, double rate) {
    constexpr size_t visitors = 4;
    std::vector<json::value> made;
    for (size_t i = 0; i < links; ++i)
      made.push_back(make_asking());
    std::vector<int> converted(links);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < visitors; ++t)
      threads.emplace_back([&, t] {
        for (size_t i = t; i < links; i += visitors)
          converted[i] = visit_alike(made[i], visits, rate, i);
      });
    for (auto& x : threads)
      x.join();
    int result = 0;
    for (size_t i = 0; i < links; ++i) {
      auto x = settled(made[i], visits, converted[i]);
      // The evidence may be told before the evaluation of its batch has ended.
      if (text(x, "status") == "recommended") {
        EXPECT_TRUE(eventually([&] { return is_made(made[i]); }));
      }
      if (!is_made(made[i]))
        continue;
      ++result;
      auto stored = get(path_of(made[i])).json();
      EXPECT_EQ(number(by_label(stored.at("variants"), "a"), "weight"), 50);
    }
    return result;
  }

private:
  /// Returns the number of conversions; negative when a request failed.
  int visit_alike(const json::value& link, int visits, double rate,
                  size_t seed) {
    std::mt19937 random{static_cast<unsigned>(20261128 + seed)};
    std::uniform_real_distribution<> uniform;
    http_client client{service->origin()};
    const header_list agent{{"User-Agent", browser}};
    const header_list key{{"X-API-Key", secret_key}};
    int converted = 0;
    for (int k = 0; k < visits; ++k) {
      auto answer = client.send("GET", "/" + text(link, "slug"), agent);
      if (answer.status != 302)
        return -1;
      if (uniform(random) >= rate)
        continue;
      auto click_id = sticky_cookie(answer).click_id;
      auto pixel = "/c/" + text(link, "id") + ".gif?click_id=" + click_id;
      if (client.send("GET", pixel, agent).status != 200)
        return -1;
      auto path = path_of(link, "/analytics/winner");
      if (client.send("GET", path, key).status != 200)
        return -1;
      ++converted;
    }
    return converted;
  }
};

class alike_links_test : public alike_test {};

} // namespace

TEST_F(alike_test, case_90_alike_links_seldom_get_a_recommendation) {
  EXPECT_LE(recommended_of(10, 300, 0.2), most_of(10, 0.05));
}

TEST_F(alike_links_test, case_90_two_hundred_links_of_two_thousand_visits) {
  EXPECT_LE(recommended_of(200, 2000, 0.05), most_of(200, 0.05));
}
