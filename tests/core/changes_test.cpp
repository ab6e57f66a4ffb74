#include "core/changes.hpp"

#include "core/identifiers.hpp"

#include <gtest/gtest.h>

namespace turnout {
namespace {

const auto created = from_micros(1'795'000'000'000'000);
const auto later = created + std::chrono::hours{1};

class changes : public testing::Test {
protected:
  changes() {
    x.id = uuid{1, 1};
    x.user_id = uuid{1, 2};
    x.slug = "promo-24";
    x.name = "Promo";
    x.created_at = created;
    x.updated_at = created;
    x.variants = make_variants({{"A", "https://a.example/", 50},
                                {"B", "https://b.example/", 30},
                                {"C", "https://c.example/", 20}},
                               created);
    for (size_t i = 0; i < x.variants.size(); ++i)
      x.variants[i].key = static_cast<row_key>(i + 10);
    x.stratum = 4;
    x.generation = 2;
    x.version = 7;
  }

  std::vector<variant_spec> specs_of(const link& y) const {
    std::vector<variant_spec> result;
    for (const auto& v : y.variants)
      if (!v.retired)
        result.push_back({v.label, v.destination_url, v.weight});
    return result;
  }

  link replaced(const link& y, const std::vector<variant_spec>& specs) const {
    auto result = replace_variants(y, specs, later);
    EXPECT_TRUE(result) << (result ? "" : detail(result.error()));
    return result ? *result : link{};
  }

  link patched(const link& y, const link_patch& patch) const {
    auto result = apply_patch(y, patch, later);
    EXPECT_TRUE(result) << (result ? "" : detail(result.error()));
    return result ? *result : link{};
  }

  link promoted(const link& y, size_t index) const {
    auto result = promote(y, y.variants[index].id, later);
    EXPECT_TRUE(result);
    return result ? *result : link{};
  }

  link x;
};

// -- new variants -------------------------------------------------------------

TEST_F(changes, make_variants_with_ids_in_order) {
  ASSERT_EQ(x.variants.size(), 3u);
  EXPECT_EQ(x.variants[0].label, "A");
  EXPECT_EQ(x.variants[2].destination_url, "https://c.example/");
  EXPECT_EQ(x.variants[1].weight, 30);
  for (auto i = 0; i < 3; ++i) {
    const auto& v = x.variants[static_cast<size_t>(i)];
    EXPECT_EQ(v.position, i);
    EXPECT_EQ(v.created_at, created);
    EXPECT_EQ(time_of(v.id), created);
    EXPECT_FALSE(v.is_winner);
    EXPECT_FALSE(v.retired);
  }
  EXPECT_NE(x.variants[0].id, x.variants[1].id);
}

// -- patch --------------------------------------------------------------------

TEST_F(changes, patch_of_nothing_changes_nothing) {
  EXPECT_EQ(patched(x, {}), x);
  link_patch same;
  same.name = x.name;
  same.is_active = true;
  same.auto_winner_threshold = 100;
  same.geo.emplace(std::nullopt);
  EXPECT_EQ(patched(x, same), x);
}

TEST_F(changes, patch_sets_what_is_given) {
  link_patch patch;
  patch.name = "New";
  patch.auto_winner = true;
  patch.auto_winner_threshold = 500;
  patch.enable_conversion_tracking = false;
  patch.conversion_redirect_url.emplace("https://thanks.example/");
  auto expected = x;
  expected.name = "New";
  expected.auto_winner = true;
  expected.auto_winner_threshold = 500;
  expected.enable_conversion_tracking = false;
  expected.conversion_redirect_url = "https://thanks.example/";
  expected.updated_at = later;
  EXPECT_EQ(patched(x, patch), expected);
}

// shlinkio/shlink#623
TEST_F(changes, patch_resets_to_defaults) {
  link_patch set;
  set.auto_winner = true;
  set.auto_winner_threshold = 500;
  set.geo.emplace(geo_rules{{"default", "A"}});
  set.conversion_redirect_url.emplace("https://thanks.example/");
  auto y = patched(x, set);
  EXPECT_EQ(y.geo, (geo_rules{{"default", "A"}}));
  link_patch off;
  off.auto_winner = false;
  y = patched(y, off);
  EXPECT_FALSE(y.auto_winner);
  EXPECT_EQ(y.auto_winner_threshold, 500);
  link_patch clear;
  clear.geo.emplace(std::nullopt);
  clear.conversion_redirect_url.emplace(std::nullopt);
  y = patched(y, clear);
  EXPECT_FALSE(y.geo);
  EXPECT_FALSE(y.conversion_redirect_url);
}

TEST_F(changes, patch_pauses_and_resumes) {
  link_patch patch;
  patch.is_active = false;
  auto y = patched(x, patch);
  EXPECT_FALSE(y.is_active);
  EXPECT_FALSE(y.is_deleted);
  patch.is_active = true;
  EXPECT_TRUE(patched(y, patch).is_active);
  EXPECT_EQ(y.stratum, x.stratum);
  EXPECT_EQ(y.generation, x.generation);
}

TEST_F(changes, patch_checks_geo_rules_against_the_variants) {
  link_patch patch;
  patch.geo.emplace(geo_rules{{"US", "D"}, {"default", "A"}});
  auto y = apply_patch(x, patch, later);
  ASSERT_FALSE(y);
  EXPECT_EQ(code_of(y.error()), ec::invalid);
  EXPECT_EQ(detail(y.error()),
            "Variant label 'D' does not exist. Available variants: A, B, C");
  patch.geo.emplace(geo_rules{{"US", "A"}});
  y = apply_patch(x, patch, later);
  ASSERT_FALSE(y);
  EXPECT_EQ(detail(y.error()), "geo_rules must contain a 'default' variant");
}

TEST_F(changes, patch_to_geo_needs_rules) {
  link_patch patch;
  patch.routing = routing_type::geo;
  auto y = apply_patch(x, patch, later);
  ASSERT_FALSE(y);
  EXPECT_EQ(code_of(y.error()), ec::invalid);
  EXPECT_EQ(detail(y.error()), "field required: geo_rules");
  patch.geo.emplace(geo_rules{{"default", "A"}});
  auto geo = patched(x, patch);
  EXPECT_EQ(geo.routing, routing_type::geo);
  link_patch clear;
  clear.geo.emplace(std::nullopt);
  y = apply_patch(geo, clear, later);
  ASSERT_FALSE(y);
  EXPECT_EQ(detail(y.error()), "field required: geo_rules");
  // Both at once go.
  clear.routing = routing_type::ab_test;
  EXPECT_FALSE(patched(geo, clear).geo);
}

TEST_F(changes, patch_of_routing_restarts_the_evaluation) {
  link_patch patch;
  patch.geo.emplace(geo_rules{{"default", "A"}});
  auto y = patched(x, patch);
  EXPECT_EQ(y.generation, 2);
  EXPECT_EQ(y.stratum, 4);
  patch.routing = routing_type::geo;
  y = patched(y, patch);
  EXPECT_EQ(y.generation, 3);
  EXPECT_EQ(y.stratum, 5);
}

// -- replace ------------------------------------------------------------------

TEST_F(changes, replace_by_the_same_changes_nothing) {
  EXPECT_EQ(replaced(x, specs_of(x)), x);
}

TEST_F(changes, replace_of_weights_keeps_everything_else) {
  auto y = replaced(x, {{"A", "https://a.example/", 10},
                        {"B", "https://b.example/", 20},
                        {"C", "https://c.example/", 70}});
  auto expected = x;
  expected.variants[0].weight = 10;
  expected.variants[1].weight = 20;
  expected.variants[2].weight = 70;
  expected.updated_at = later;
  expected.stratum = 5;
  EXPECT_EQ(y, expected);
}

TEST_F(changes, replace_of_a_destination_restarts_the_evaluation) {
  auto specs = specs_of(x);
  specs[1].destination_url = "https://b2.example/";
  auto y = replaced(x, specs);
  EXPECT_EQ(y.variants[1].id, x.variants[1].id);
  EXPECT_EQ(y.variants[1].destination_url, "https://b2.example/");
  EXPECT_EQ(y.generation, 3);
  EXPECT_EQ(y.stratum, 5);
}

TEST_F(changes, replace_of_the_order_is_no_new_stratum) {
  auto specs = specs_of(x);
  std::swap(specs[0], specs[2]);
  auto y = replaced(x, specs);
  EXPECT_EQ(y.variants[0].id, x.variants[2].id);
  EXPECT_EQ(y.variants[0].key, x.variants[2].key);
  EXPECT_EQ(y.variants[0].position, 0);
  EXPECT_EQ(y.variants[2].position, 2);
  EXPECT_EQ(y.stratum, 4);
  EXPECT_EQ(y.generation, 2);
  EXPECT_EQ(y.updated_at, later);
}

TEST_F(changes, replace_retires_and_adds) {
  auto y = replaced(
    x, {{"D", "https://d.example/", 60}, {"B", "https://b.example/", 40}});
  ASSERT_EQ(y.variants.size(), 4u);
  EXPECT_EQ(y.variants[0].label, "D");
  EXPECT_EQ(y.variants[0].created_at, later);
  EXPECT_EQ(y.variants[0].key, 0);
  EXPECT_EQ(y.variants[1].id, x.variants[1].id);
  EXPECT_EQ(y.variants[1].created_at, created);
  for (size_t i : {2u, 3u}) {
    const auto& old = x.variants[i == 2 ? 0 : 2];
    EXPECT_TRUE(y.variants[i].retired);
    EXPECT_EQ(y.variants[i].id, old.id);
    EXPECT_EQ(y.variants[i].key, old.key);
    EXPECT_EQ(y.variants[i].weight, 0);
    EXPECT_EQ(y.variants[i].destination_url, old.destination_url);
    EXPECT_EQ(y.variants[i].position, static_cast<int>(i));
  }
  EXPECT_EQ(y.generation, 3);
  EXPECT_EQ(y.stratum, 5);
}

TEST_F(changes, replace_brings_back_a_retired_variant_with_its_id) {
  auto y = replaced(
    x, {{"A", "https://a.example/", 60}, {"B", "https://b.example/", 40}});
  auto z = replaced(
    y, {{"C", "https://new.example/", 60}, {"B", "https://b.example/", 40}});
  ASSERT_EQ(z.variants.size(), 3u);
  EXPECT_EQ(z.variants[0].id, x.variants[2].id);
  EXPECT_EQ(z.variants[0].key, x.variants[2].key);
  EXPECT_EQ(z.variants[0].created_at, created);
  EXPECT_EQ(z.variants[0].destination_url, "https://new.example/");
  EXPECT_FALSE(z.variants[0].retired);
  EXPECT_TRUE(z.variants[2].retired);
  EXPECT_EQ(z.variants[2].label, "A");
  EXPECT_EQ(z.generation, 4);
  EXPECT_EQ(z.stratum, 6);
}

TEST_F(changes, replace_is_refused_when_geo_rules_need_a_label) {
  x.geo = geo_rules{{"US", "C"}, {"default", "A"}};
  auto y = replace_variants(
    x, {{"A", "https://a.example/", 60}, {"B", "https://b.example/", 40}},
    later);
  ASSERT_FALSE(y);
  EXPECT_EQ(code_of(y.error()), ec::invalid);
  EXPECT_EQ(detail(y.error()),
            "Variant label 'C' does not exist. Available variants: A, B");
}

TEST_F(changes, replace_is_refused_for_a_bad_set) {
  auto y = replace_variants(
    x, {{"A", "https://a.example/", 60}, {"B", "https://b.example/", 30}},
    later);
  ASSERT_FALSE(y);
  EXPECT_EQ(detail(y.error()), "Variant weights must sum to 100, got 90");
  y = replace_variants(
    x, {{"A", "https://a.example/", 60}, {"A", "https://b.example/", 40}},
    later);
  ASSERT_FALSE(y);
  EXPECT_EQ(detail(y.error()), "Variant label 'A' is used more than once");
}

TEST_F(changes, replace_keeps_a_winner_with_all_traffic_only) {
  auto y = promoted(x, 1);
  auto specs = specs_of(y);
  EXPECT_EQ(replaced(y, specs), y);
  specs[1].destination_url = "https://b2.example/";
  EXPECT_TRUE(replaced(y, specs).variants[1].is_winner);
  specs[0].weight = 1;
  specs[1].weight = 99;
  auto z = replaced(y, specs);
  for (const auto& v : z.variants)
    EXPECT_FALSE(v.is_winner);
  // All traffic for another one is a weight change too.
  specs[0].weight = 100;
  specs[1].weight = 0;
  for (const auto& v : replaced(y, specs).variants)
    EXPECT_FALSE(v.is_winner);
}

TEST_F(changes, replace_of_the_winner_ends_its_win) {
  auto y = promoted(x, 1);
  auto z = replaced(
    y, {{"A", "https://a.example/", 0}, {"C", "https://c.example/", 100}});
  for (const auto& v : z.variants)
    EXPECT_FALSE(v.is_winner) << v.label;
  // Nor does it win again by coming back.
  z = replaced(
    z, {{"A", "https://a.example/", 0}, {"B", "https://b.example/", 100}});
  EXPECT_EQ(z.variants[1].id, x.variants[1].id);
  EXPECT_FALSE(z.variants[1].is_winner);
}

// -- promote ------------------------------------------------------------------

TEST_F(changes, promote_gives_all_traffic) {
  auto y = promoted(x, 1);
  auto expected = x;
  expected.variants[0].weight = 0;
  expected.variants[1].weight = 100;
  expected.variants[1].is_winner = true;
  expected.variants[2].weight = 0;
  expected.updated_at = later;
  expected.stratum = 5;
  EXPECT_EQ(y, expected);
}

TEST_F(changes, promote_again_changes_nothing) {
  auto y = promoted(x, 1);
  auto z = promote(y, y.variants[1].id, later + std::chrono::hours{1});
  ASSERT_TRUE(z);
  EXPECT_EQ(*z, y);
}

TEST_F(changes, promote_supersedes_a_winner) {
  auto z = promoted(promoted(x, 1), 0);
  EXPECT_TRUE(z.variants[0].is_winner);
  EXPECT_FALSE(z.variants[1].is_winner);
  EXPECT_EQ(z.variants[0].weight, 100);
  EXPECT_EQ(z.variants[1].weight, 0);
  EXPECT_EQ(z.stratum, 6);
  EXPECT_EQ(z.generation, 2);
}

TEST_F(changes, promote_of_the_only_served_one_is_no_new_stratum) {
  auto y = replaced(x, {{"A", "https://a.example/", 100},
                        {"B", "https://b.example/", 0},
                        {"C", "https://c.example/", 0}});
  auto z = promoted(y, 0);
  EXPECT_TRUE(z.variants[0].is_winner);
  EXPECT_EQ(z.stratum, y.stratum);
}

TEST_F(changes, promote_knows_only_active_variants) {
  auto y = replaced(
    x, {{"A", "https://a.example/", 60}, {"B", "https://b.example/", 40}});
  for (const auto& id : {x.variants[2].id, uuid{9, 9}, uuid{}}) {
    auto z = promote(y, id, later);
    ASSERT_FALSE(z);
    EXPECT_EQ(code_of(z.error()), ec::not_found);
    EXPECT_EQ(detail(z.error()), "Variant not found");
  }
}

// -- delete, strata -----------------------------------------------------------

TEST_F(changes, delete_marks_once) {
  auto y = mark_deleted(x, later);
  ASSERT_TRUE(y);
  EXPECT_TRUE(y->is_deleted);
  EXPECT_EQ(y->updated_at, later);
  EXPECT_EQ(y->slug, x.slug);
  auto z = mark_deleted(*y, later);
  ASSERT_FALSE(z);
  EXPECT_EQ(code_of(z.error()), ec::not_found);
  EXPECT_EQ(detail(z.error()), "Link not found");
}

TEST_F(changes, number_strata_upwards_only) {
  auto specs = specs_of(x);
  specs[0].weight = 40;
  specs[1].weight = 40;
  auto y = replaced(x, specs);
  EXPECT_EQ(y.stratum, 5);
  auto z = replaced(y, specs_of(x));
  EXPECT_EQ(z.stratum, 6);
}

TEST_F(changes, record_the_stratum_in_force) {
  auto y = replaced(
    x, {{"A", "https://a.example/", 60}, {"B", "https://b.example/", 40}});
  auto s = current_stratum(y);
  EXPECT_EQ(s.number, y.stratum);
  EXPECT_EQ(s.generation, y.generation);
  std::vector<std::pair<uuid, int>> weights{{x.variants[0].id, 60},
                                            {x.variants[1].id, 40}};
  EXPECT_EQ(s.weights, weights);
}

} // namespace
} // namespace turnout
