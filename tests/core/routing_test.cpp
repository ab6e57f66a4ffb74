#include "core/routing.hpp"

#include <gtest/gtest.h>

#include <array>

namespace turnout {
namespace {

constexpr uint32_t max_draw = UINT32_MAX;

link make_link(std::initializer_list<int> weights) {
  link x;
  for (auto weight : weights) {
    variant v;
    auto n = x.variants.size();
    v.id = uuid{1, n + 1};
    v.label = std::string(1, static_cast<char>('a' + n));
    v.weight = weight;
    v.position = static_cast<int>(n);
    x.variants.push_back(v);
  }
  return x;
}

link make_geo_link(geo_rules rules) {
  auto x = make_link({50, 30, 20});
  x.routing = routing_type::geo;
  x.geo = std::move(rules);
  return x;
}

/// Returns the draw at a fraction of the whole range, in hundredths.
uint32_t at(uint64_t percent) {
  return static_cast<uint32_t>((percent << 32) / 100);
}

TEST(routing, draws_by_weight) {
  routing_table table{make_link({50, 30, 20})};
  EXPECT_EQ(table.choose("", {}, 0), 0);
  EXPECT_EQ(table.choose("", {}, at(49)), 0);
  EXPECT_EQ(table.choose("", {}, at(51)), 1);
  EXPECT_EQ(table.choose("", {}, at(79)), 1);
  EXPECT_EQ(table.choose("", {}, at(81)), 2);
  EXPECT_EQ(table.choose("", {}, max_draw), 2);
}

TEST(routing, gives_each_variant_its_exact_share) {
  routing_table table{make_link({1, 90, 9})};
  std::array<int, 3> n{};
  constexpr auto steps = 100'000u;
  for (auto i = 0u; i < steps; ++i)
    ++n[static_cast<size_t>(table.choose(
      "", {}, static_cast<uint32_t>((uint64_t{i} << 32) / steps)))];
  EXPECT_NEAR(n[0], 1'000, 2);
  EXPECT_NEAR(n[1], 90'000, 2);
  EXPECT_NEAR(n[2], 9'000, 2);
}

TEST(routing, never_serves_weight_zero) {
  routing_table table{make_link({0, 100, 0})};
  for (uint64_t percent = 0; percent < 100; ++percent)
    EXPECT_EQ(table.choose("", {}, at(percent)), 1);
  EXPECT_EQ(table.choose("", {}, max_draw), 1);
  // Nor to a visitor who had it before.
  EXPECT_EQ(table.choose("", uuid{1, 1}, 0), 1);
}

TEST(routing, keeps_a_returning_visitor) {
  routing_table table{make_link({50, 30, 20})};
  EXPECT_EQ(table.choose("", uuid{1, 3}, 0), 2);
  EXPECT_EQ(table.choose("US", uuid{1, 2}, max_draw), 1);
  // An id of another link draws anew.
  EXPECT_EQ(table.choose("", uuid{9, 9}, 0), 0);
}

TEST(routing, ignores_retired_variants) {
  auto x = make_link({50, 50, 100});
  x.variants[2].retired = true;
  x.variants[2].is_winner = true;
  routing_table table{x};
  EXPECT_EQ(table.choose("", {}, max_draw), 1);
  EXPECT_EQ(table.choose("", uuid{1, 3}, 0), 0);
}

TEST(routing, gives_a_winner_everything) {
  auto x = make_link({0, 100});
  x.variants[1].is_winner = true;
  routing_table table{x};
  EXPECT_EQ(table.choose("", uuid{1, 1}, 0), 1);
  EXPECT_EQ(table.choose("", {}, 0), 1);
}

TEST(routing, gives_a_winner_everything_on_geo_links_too) {
  auto x = make_geo_link({{"US", "a"}, {"default", "b"}});
  x.variants[2].is_winner = true;
  routing_table table{x};
  EXPECT_EQ(table.choose("US", {}, 0), 2);
  EXPECT_EQ(table.choose("", uuid{1, 1}, 0), 2);
}

TEST(routing, follows_the_country) {
  routing_table table{
    make_geo_link({{"US", "c"}, {"DE", "b"}, {"default", "a"}})};
  EXPECT_EQ(table.choose("US", {}, 0), 2);
  EXPECT_EQ(table.choose("DE", {}, max_draw), 1);
  EXPECT_EQ(table.choose("FR", {}, max_draw), 0);
  EXPECT_EQ(table.choose("", {}, max_draw), 0);
  EXPECT_EQ(table.choose("us", {}, max_draw), 0);
  EXPECT_EQ(table.choose("USA", {}, max_draw), 0);
}

TEST(routing, ignores_weights_and_cookie_on_geo_links) {
  auto x = make_geo_link({{"US", "a"}, {"default", "b"}});
  x.variants[0].weight = 0;
  x.variants[1].weight = 0;
  x.variants[2].weight = 100;
  routing_table table{x};
  EXPECT_EQ(table.choose("US", uuid{1, 3}, 0), 0);
  EXPECT_EQ(table.choose("FR", uuid{1, 3}, 0), 1);
}

TEST(routing, takes_the_default_for_a_rule_with_an_unknown_label) {
  auto x = make_geo_link({{"US", "gone"}, {"DE", "c"}, {"default", "b"}});
  EXPECT_EQ(routing_table{x}.choose("US", {}, 0), 1);
  x.variants[2].retired = true;
  EXPECT_EQ(routing_table{x}.choose("DE", {}, 0), 1);
}

TEST(routing, ignores_geo_rules_of_split_links) {
  auto x = make_geo_link({{"US", "c"}, {"default", "c"}});
  x.routing = routing_type::ab_test;
  EXPECT_EQ(routing_table{x}.choose("US", {}, 0), 0);
}

TEST(routing, falls_back_to_weights_without_a_usable_default) {
  EXPECT_EQ(routing_table{make_geo_link({})}.choose("US", {}, 0), 0);
  EXPECT_EQ(
    routing_table{make_geo_link({{"default", "x"}})}.choose("", {}, max_draw),
    2);
}

TEST(routing, of_nothing_serves_nothing) {
  EXPECT_EQ(routing_table{}.choose("US", {}, 7), -1);
  EXPECT_EQ(routing_table{make_link({0, 0})}.choose("", {}, 7), -1);
}

} // namespace
} // namespace turnout
