#include "tests/api/harness/api_test.hpp"

using namespace turnout::test;

namespace {

class variants_test : public api_test {
protected:
  response set_variants(const json::value& link, const json::array& variants) {
    return put(path_of(link, "/variants"), variants);
  }

  response promote(const json::value& link, const std::string& variant) {
    return post(path_of(link, "/promote-winner"), {{"variant_id", variant}});
  }
};

class promotion_test : public variants_test {};

using places = std::map<std::string, int>;

} // namespace

TEST_F(variants_test, an_update_answers_with_the_full_link) {
  auto link = make_split();
  auto answer = set_variants(link, two_variants(20, 80));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json(), get(path_of(link)).json());
  auto updated = answer.json();
  EXPECT_EQ(number(by_label(updated.at("variants"), "a"), "weight"), 20);
  EXPECT_EQ(number(by_label(updated.at("variants"), "b"), "weight"), 80);
  EXPECT_EQ(text(updated, "slug"), text(link, "slug"));
  EXPECT_GE(text(updated, "updated_at"), text(link, "updated_at"));
}

TEST_F(variants_test, labels_keep_their_ids) {
  auto link = make_split();
  auto answer
    = set_variants(link, {variant_body("c", "https://c.example/", 10),
                          variant_body("b", "https://new-b.example/", 90)});
  ASSERT_EQ(answer.status, 200) << answer.body;
  auto updated = answer.json();
  auto& variants = updated.at("variants").as_array();
  ASSERT_EQ(variants.size(), 2u) << "the missing label is retired";
  EXPECT_EQ(text(variants[0], "label"), "c");
  EXPECT_EQ(text(variants[1], "label"), "b");
  EXPECT_EQ(text(variants[1], "id"), variant_id(link, "b"));
  EXPECT_THAT(text(variants[0], "id"), is_uuid());
  EXPECT_NE(text(variants[0], "id"), variant_id(link, "a"));
  EXPECT_EQ(text(variants[1], "destination_url"), "https://new-b.example/");
}

TEST_F(variants_test, a_retired_label_that_returns_gets_its_id_back) {
  auto link = make_split();
  json::array without_a{variant_body("b", "https://b.example/", 50),
                        variant_body("c", "https://c.example/", 50)};
  ASSERT_EQ(set_variants(link, without_a).status, 200);
  service->restart();
  auto answer = set_variants(link, two_variants());
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(variant_id(answer.json(), "a"), variant_id(link, "a"));
}

TEST_F(variants_test, clicks_of_a_retired_variant_stay) {
  auto link = make_split(100, 0);
  auto slug = text(link, "slug");
  visit_many(slug, 4);
  ASSERT_EQ(set_variants(link, {variant_body("b", "https://b.example/", 100),
                                variant_body("c", "https://c.example/", 0)})
              .status,
            200);
  visit_many(slug, 3);
  expect_counts(link, 7);
  expect_sums_agree(link);
  auto rows = analytics(link).at("variant_performance");
  EXPECT_EQ(number(by_label(rows, "a"), "clicks"), 4);
  EXPECT_EQ(by_label(rows, "a").at("retired"), true);
  EXPECT_EQ(number(by_label(rows, "b"), "clicks"), 3);
}

TEST_F(variants_test, case_20_an_edited_destination_holds_at_once) {
  auto link = make_single("e-1", "https://old.example/");
  EXPECT_EQ(visit("e-1").header("location"), "https://old.example/");
  ASSERT_EQ(set_variants(link, one_destination("https://new.example/")).status,
            200);
  // Each visit on a connection of its own, so that every thread is asked.
  for (int i = 0; i < 20; ++i) {
    http_client client{service->origin()};
    auto answer = client.send("GET", "/e-1", {{"User-Agent", browser}});
    EXPECT_EQ(answer.status, 302);
    EXPECT_EQ(answer.header("location"), "https://new.example/");
    EXPECT_EQ(answer.header("cache-control"), "no-store");
  }
}

TEST_F(variants_test, a_refused_set_changes_nothing) {
  auto link = make_split();
  auto before = get(path_of(link)).json();
  expect_error(set_variants(link, two_variants(50, 49)), 422);
  expect_error(set_variants(link, {variant_body("a", "https://x.example/", 50),
                                   variant_body("b", "bad", 50)}),
               422);
  EXPECT_EQ(get(path_of(link)).json(), before);
}

TEST_F(variants_test, an_unknown_link) {
  auto answer
    = put(links_path + "/" + unknown_id + "/variants", two_variants());
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.detail(), "Link not found");
}

TEST_F(promotion_test, case_24_changes_of_traffic_hold_at_once) {
  auto link = make_split(100, 0);
  auto slug = text(link, "slug");
  EXPECT_EQ(visit_many(slug, 20), (places{{"https://a.example/", 20}}));
  ASSERT_EQ(set_variants(link, two_variants(0, 100)).status, 200);
  EXPECT_EQ(visit_many(slug, 50), (places{{"https://b.example/", 50}}));
  auto answer = promote(link, variant_id(link, "a"));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(visit_many(slug, 50), (places{{"https://a.example/", 50}}));
  auto read = get(path_of(link)).json();
  EXPECT_EQ(read, answer.json());
  auto a = by_label(read.at("variants"), "a");
  auto b = by_label(read.at("variants"), "b");
  EXPECT_EQ(number(a, "weight"), 100);
  EXPECT_EQ(number(b, "weight"), 0);
  EXPECT_EQ(a.at("is_winner"), true);
  EXPECT_EQ(b.at("is_winner"), false);
}

TEST_F(promotion_test, repeating_it_changes_nothing) {
  auto link = make_split();
  auto first = promote(link, variant_id(link, "b"));
  ASSERT_EQ(first.status, 200);
  auto second = promote(link, variant_id(link, "b"));
  EXPECT_EQ(second.status, 200);
  EXPECT_EQ(second.json(), first.json());
}

TEST_F(promotion_test, a_later_promotion_supersedes_it) {
  auto link = make_split();
  ASSERT_EQ(promote(link, variant_id(link, "a")).status, 200);
  ASSERT_EQ(promote(link, variant_id(link, "b")).status, 200);
  auto read = get(path_of(link)).json();
  EXPECT_EQ(by_label(read.at("variants"), "a").at("is_winner"), false);
  EXPECT_EQ(by_label(read.at("variants"), "b").at("is_winner"), true);
  EXPECT_EQ(visit_many(text(link, "slug"), 20),
            (places{{"https://b.example/", 20}}));
}

TEST_F(promotion_test, a_later_weight_change_supersedes_it) {
  auto link = make_split();
  ASSERT_EQ(promote(link, variant_id(link, "a")).status, 200);
  // The winner keeps weight 100 and stays the winner.
  auto answer = set_variants(link, two_variants(100, 0));
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(by_label(answer.json().at("variants"), "a").at("is_winner"), true);
  answer = set_variants(link, two_variants(50, 50));
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(by_label(answer.json().at("variants"), "a").at("is_winner"), false);
  EXPECT_EQ(visit_many(text(link, "slug"), 60).size(), 2u);
}

TEST_F(promotion_test, the_winner_takes_all_traffic_of_a_geo_link) {
  auto link = make_link({{"name", "x"},
                         {"variants", two_variants()},
                         {"routing_type", "geo"},
                         {"geo_rules", {{"US", "b"}, {"default", "b"}}}});
  auto slug = text(link, "slug");
  EXPECT_EQ(visit(slug).header("location"), "https://b.example/");
  ASSERT_EQ(promote(link, variant_id(link, "a")).status, 200);
  EXPECT_EQ(visit(slug).header("location"), "https://a.example/");
  EXPECT_EQ(visit(slug, {{"X-Forwarded-For", "8.8.8.8"}}).header("location"),
            "https://a.example/");
  ASSERT_EQ(set_variants(link, two_variants()).status, 200);
  EXPECT_EQ(visit(slug).header("location"), "https://b.example/");
}

TEST_F(promotion_test, it_outlives_a_restart) {
  auto link = make_split();
  ASSERT_EQ(promote(link, variant_id(link, "b")).status, 200);
  service->restart();
  EXPECT_EQ(visit_many(text(link, "slug"), 20),
            (places{{"https://b.example/", 20}}));
  auto read = get(path_of(link)).json();
  EXPECT_EQ(by_label(read.at("variants"), "b").at("is_winner"), true);
}

TEST_F(promotion_test, variants_that_are_not_of_this_link) {
  auto link = make_split();
  auto other = make_split();
  for (auto& id : {unknown_id, variant_id(other, "a")}) {
    auto answer = promote(link, id);
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answer.detail(), "Variant not found");
  }
}

TEST_F(promotion_test, malformed_requests) {
  auto link = make_split();
  auto path = path_of(link, "/promote-winner");
  auto answer = call("POST", path, {}, "{}");
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(answer.detail(), "field required: variant_id");
  expect_error(promote(link, "abc"), 422, "variant_id");
  expect_error(post(path, {{"variant_id", 5}}), 422, "variant_id");
  expect_error(call("POST", path, {}, "["), 422, "Invalid JSON");
  auto unknown = post(links_path + "/" + unknown_id + "/promote-winner",
                      {{"variant_id", unknown_id}});
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.detail(), "Link not found");
}

TEST_F(promotion_test, clicks_stay_with_the_variant_that_was_shown) {
  auto link = make_split(0, 100);
  auto slug = text(link, "slug");
  visit_many(slug, 5);
  ASSERT_EQ(promote(link, variant_id(link, "a")).status, 200);
  visit_many(slug, 2);
  expect_counts(link, 7);
  auto rows = analytics(link).at("variant_performance");
  EXPECT_EQ(number(by_label(rows, "a"), "clicks"), 2);
  EXPECT_EQ(number(by_label(rows, "b"), "clicks"), 5);
  EXPECT_EQ(by_label(rows, "a").at("is_winner"), true);
  expect_sums_agree(link);
}
