#include "core/rules.hpp"

#include <gtest/gtest.h>

namespace turnout {
namespace {

std::string text_of(const caf::error& err) {
  if (!err)
    return "fine";
  EXPECT_EQ(code_of(err), ec::invalid);
  return detail(err);
}

std::string name_of(std::string_view name) {
  auto x = check_name(name);
  return x ? "[" + *x + "]" : text_of(x.error());
}

std::string repeated(std::string_view x, size_t n) {
  std::string result;
  for (size_t i = 0; i < n; ++i)
    result += x;
  return result;
}

std::vector<variant>
make_variants(std::initializer_list<std::pair<const char*, int>> xs) {
  std::vector<variant> result;
  for (const auto& [label, weight] : xs) {
    variant v;
    v.label = label;
    v.weight = weight;
    result.push_back(v);
  }
  return result;
}

constexpr auto four_bytes = "\U0001f600";

TEST(rules, of_names) {
  EXPECT_EQ(name_of("x"), "[x]");
  EXPECT_EQ(name_of(" \t\n a  b \u3000\u00a0\u2003"), "[a  b]");
  EXPECT_EQ(name_of(repeated(four_bytes, 100)),
            "[" + repeated(four_bytes, 100) + "]");
  EXPECT_EQ(name_of(" " + repeated("x", 100) + " "),
            "[" + repeated("x", 100) + "]");
  EXPECT_EQ(name_of(repeated(four_bytes, 101)),
            "name must be 1 to 100 characters");
  for (auto empty : {"", " ", "\u00a0\t"})
    EXPECT_EQ(name_of(empty), "name must be 1 to 100 characters");
  for (auto bad : {"a\nb", "a\x7f", "a\u0085z", "\x01"})
    EXPECT_EQ(name_of(bad), "name must not contain control characters");
  EXPECT_EQ(name_of({"a\0b", 3}), "name must not contain control characters");
  EXPECT_EQ(name_of("a\xff"), "name must be valid UTF-8");
  EXPECT_EQ(name_of("\xed\xa0\x80"), "name must be valid UTF-8");
}

TEST(rules, of_slugs) {
  for (auto good :
       {"abc", "a_b", "a-b", "-ab", "___", "LoKE2", "QWERTY", "promo-24",
        "apis", "apps", "abcdefghijklmnopqrstuvwxyz012345"})
    EXPECT_EQ(text_of(check_slug(good)), "fine") << good;
  for (auto bad :
       {"", "ab", "/", "//", "   ", ".", "..", "v1.2", "a~b", "ab.",
        "promo-24/", "abcdefghijklmnopqrstuvwxyz0123456", "\u00e0pi",
        "m\u00e9trics", "a b", "abc\n", "a%20b", "robots.txt", ".well-known"})
    EXPECT_EQ(text_of(check_slug(bad)),
              "slug must be 3 to 32 characters of A-Z, a-z, 0-9, '-' and '_'")
      << bad;
  EXPECT_EQ(text_of(check_slug({"ab\0", 3})),
            "slug must be 3 to 32 characters of A-Z, a-z, 0-9, '-' and '_'");
  for (auto reserved :
       {"api", "auth", "app", "assets", "metrics", "health", "healthz",
        "readyz", "docs", "admin", "login", "static", "HEALTH", "Api", "aDmIn"})
    EXPECT_EQ(text_of(check_slug(reserved)),
              "slug '" + std::string{reserved} + "' is reserved");
}

TEST(rules, of_reserved_words) {
  for (auto word :
       {"api", "auth", "app", "assets", "metrics", "health", "healthz",
        "readyz", "robots.txt", "favicon.ico", "sitemap.xml", ".well-known",
        "docs", "admin", "login", "static", "Robots.TXT", ".Well-Known"})
    EXPECT_TRUE(is_reserved_slug(word)) << word;
  for (auto word : {"", "ap", "apis", "api ", "robots", "well-known"})
    EXPECT_FALSE(is_reserved_slug(word)) << word;
}

TEST(rules, of_labels) {
  auto check = [](std::string_view label) {
    return text_of(check_label(label, "variants[1].label"));
  };
  EXPECT_EQ(check("A"), "fine");
  EXPECT_EQ(check(repeated(four_bytes, 50)), "fine");
  EXPECT_EQ(check(""), "variants[1].label must be 1 to 50 characters");
  EXPECT_EQ(check(repeated("x", 51)),
            "variants[1].label must be 1 to 50 characters");
  EXPECT_EQ(check("a\tb"),
            "variants[1].label must not contain control characters");
  EXPECT_EQ(check("\x80"), "variants[1].label must be valid UTF-8");
}

TEST(rules, of_weights) {
  for (auto good : {0, 1, 50, 100})
    EXPECT_FALSE(check_weight(good, "x"));
  for (int64_t bad : {int64_t{-1}, int64_t{101}, INT64_MAX, INT64_MIN})
    EXPECT_EQ(text_of(check_weight(bad, "variants[0].weight")),
              "variants[0].weight must be between 0 and 100");
}

TEST(rules, of_the_number_of_variants) {
  for (size_t good : {2, 3, 4, 5})
    EXPECT_FALSE(check_variant_count(good));
  for (size_t bad : {0, 1, 6})
    EXPECT_EQ(text_of(check_variant_count(bad)),
              "variants must be 2 to 5 objects, got " + std::to_string(bad));
}

TEST(rules, of_a_set_of_variants) {
  auto check
    = [](auto xs) { return text_of(check_variant_set(make_variants(xs))); };
  using list = std::initializer_list<std::pair<const char*, int>>;
  EXPECT_EQ(check(list{{"A", 50}, {"B", 50}}), "fine");
  EXPECT_EQ(check(list{{"A", 100}, {"B", 0}}), "fine");
  EXPECT_EQ(check(list{{"A", 50}, {"a", 50}}), "fine");
  EXPECT_EQ(check(list{{"A", 50}, {"B", 49}}),
            "Variant weights must sum to 100, got 99");
  EXPECT_EQ(check(list{{"A", 100}, {"B", 100}, {"C", 1}}),
            "Variant weights must sum to 100, got 201");
  // Labels come first.
  EXPECT_EQ(check(list{{"A", 50}, {"B", 1}, {"A", 1}}),
            "Variant label 'A' is used more than once");
}

TEST(rules, of_a_set_ignore_retired_variants) {
  auto xs = make_variants({{"A", 50}, {"B", 50}, {"A", 10}});
  xs[2].retired = true;
  EXPECT_FALSE(check_variant_set(xs));
  xs[0].retired = true;
  EXPECT_EQ(text_of(check_variant_set(xs)),
            "Variant weights must sum to 100, got 50");
}

TEST(rules, of_geo_rules) {
  auto xs = make_variants({{"A", 50}, {"B", 30}, {"C", 20}});
  auto check = [&](const geo_rules& rules) {
    return text_of(check_geo_rules(rules, xs));
  };
  EXPECT_EQ(check({{"default", "A"}}), "fine");
  EXPECT_EQ(check({{"US", "A"}, {"DE", "B"}, {"default", "C"}}), "fine");
  EXPECT_EQ(check({}), "geo_rules must contain a 'default' variant");
  EXPECT_EQ(check({{"US", "A"}}), "geo_rules must contain a 'default' variant");
  for (std::string bad : {"us", "XX", "UK", "USA", "", "Default", "U", "EU"})
    EXPECT_EQ(check({{bad, "A"}, {"default", "A"}}),
              "geo_rules key '" + bad
                + "' must be an upper-case ISO 3166-1 alpha-2 country code or "
                  "'default'");
  EXPECT_EQ(check({{"US", "D"}, {"default", "A"}}),
            "Variant label 'D' does not exist. Available variants: A, B, C");
  EXPECT_EQ(check({{"default", "a"}}),
            "Variant label 'a' does not exist. Available variants: A, B, C");
  xs[1].retired = true;
  EXPECT_EQ(check({{"US", "B"}, {"default", "A"}}),
            "Variant label 'B' does not exist. Available variants: A, C");
}

TEST(rules, of_routing) {
  EXPECT_FALSE(check_routing(routing_type::ab_test, false));
  EXPECT_FALSE(check_routing(routing_type::ab_test, true));
  EXPECT_FALSE(check_routing(routing_type::geo, true));
  EXPECT_EQ(text_of(check_routing(routing_type::geo, false)),
            "field required: geo_rules");
}

TEST(rules, of_thresholds) {
  EXPECT_FALSE(check_threshold(10));
  EXPECT_FALSE(check_threshold(1'000'000'000));
  for (int64_t bad : {int64_t{9}, int64_t{0}, INT64_MIN})
    EXPECT_EQ(text_of(check_threshold(bad)),
              "auto_winner_threshold must be at least 10");
  EXPECT_EQ(text_of(check_threshold(1'000'000'001)),
            "auto_winner_threshold must be at most 1000000000");
}

TEST(rules, of_the_number_of_links) {
  EXPECT_EQ(text_of(check_link_count(1'000'000, 0)), "fine");
  EXPECT_EQ(text_of(check_link_count(2, 3)), "fine");
  EXPECT_EQ(text_of(check_link_count(3, 3)),
            "The account has as many links as it may have (3)");
}

TEST(rules, of_countries) {
  auto n = 0;
  for (auto x = 'A'; x <= 'Z'; ++x)
    for (auto y = 'A'; y <= 'Z'; ++y)
      n += is_country_code(std::string{x, y}) ? 1 : 0;
  EXPECT_EQ(n, 249);
  for (auto good : {"US", "DE", "GB", "AX", "SS", "ZW", "AD", "BQ", "TL"})
    EXPECT_TRUE(is_country_code(good)) << good;
  for (auto bad : {"", "U", "us", "USA", "XX", "T1", "ZZ", "EU", "UK", "AN",
                   "XK", "SU", "A1", "  ", "{["})
    EXPECT_FALSE(is_country_code(bad)) << bad;
}

} // namespace
} // namespace turnout
