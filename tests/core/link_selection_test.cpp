#include "core/link_selection.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace turnout {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> arranged(std::vector<link_candidate> links,
                                  link_sort sort) {
  arrange(links, sort);
  std::vector<std::string> result;
  for (const auto& x : links)
    result.emplace_back(x.name);
  return result;
}

std::vector<link_candidate> named(const std::vector<std::string>& names) {
  std::vector<link_candidate> result;
  for (const auto& x : names)
    result.push_back({0, x});
  return result;
}

TEST(link_selection, names_its_orders) {
  for (auto name :
       {"newest", "oldest", "name", "clicks", "conversions", "rate"})
    EXPECT_STREQ(to_string(parse_link_sort(name).value()), name);
  for (auto bad : {"", "Newest", "newest ", "-clicks", "created_at"})
    EXPECT_FALSE(parse_link_sort(bad)) << bad;
}

TEST(link_selection, is_plain_without_search_and_order) {
  EXPECT_TRUE(link_selection{}.is_plain());
  EXPECT_FALSE((link_selection{"a"}.is_plain()));
  EXPECT_FALSE((link_selection{"", link_sort::oldest}.is_plain()));
}

TEST(link_selection, looks_in_name_and_slug) {
  EXPECT_TRUE(matches({"PRING"}, "Spring sale", "x-1"));
  EXPECT_TRUE(matches({"X-"}, "Spring sale", "x-1"));
  EXPECT_TRUE(matches({"Spring sale"}, "Spring sale", "x-1"));
  EXPECT_FALSE(matches({"salex"}, "Spring sale", "x-1"));
  EXPECT_FALSE(matches({"Spring sale!"}, "Spring sale", "x-1"));
  EXPECT_FALSE(matches({"%"}, "Spring sale", "x-1"));
  EXPECT_TRUE(matches({""}, "Spring sale", "x-1"));
  EXPECT_TRUE(matches({""}, "", ""));
}

TEST(link_selection, takes_digits_of_names_as_numbers) {
  EXPECT_THAT(
    arranged(named({"Sale 10", "Sale 2", "Sale", "sale 1", "Sale 2b", "2 Sale",
                    "Sale 99999999999999999999", "Sale 100000000000000000000"}),
             link_sort::name),
    ElementsAre("2 Sale", "Sale", "sale 1", "Sale 2", "Sale 2b", "Sale 10",
                "Sale 99999999999999999999", "Sale 100000000000000000000"));
  // Text after ASCII is in the order of its bytes.
  EXPECT_THAT(arranged(named({"Ä", "Z", "a", "_", "B"}), link_sort::name),
              ElementsAre("_", "a", "B", "Z", "Ä"));
}

TEST(link_selection, leaves_equal_names_newest_first) {
  for (auto& names : {std::vector<std::string>{"Sale 1", "SALE 01", "sale 1"},
                      std::vector<std::string>{"sale 1", "SALE 01", "Sale 1"}})
    EXPECT_EQ(arranged(named(names), link_sort::name), names);
  EXPECT_THAT(arranged({}, link_sort::name), IsEmpty());
}

TEST(link_selection, orders_by_totals) {
  const std::vector<link_candidate> links{
    {1, "none", 0, 0},         {2, "some", 10, 1}, {3, "many", 1000, 50},
    {4, "unattributed", 0, 7}, {5, "few", 1, 1},   {6, "twin", 10, 1}};
  EXPECT_THAT(
    arranged(links, link_sort::newest),
    ElementsAre("none", "some", "many", "unattributed", "few", "twin"));
  EXPECT_THAT(
    arranged(links, link_sort::oldest),
    ElementsAre("twin", "few", "unattributed", "many", "some", "none"));
  EXPECT_THAT(
    arranged(links, link_sort::clicks),
    ElementsAre("many", "some", "twin", "few", "none", "unattributed"));
  EXPECT_THAT(
    arranged(links, link_sort::conversions),
    ElementsAre("many", "unattributed", "some", "few", "twin", "none"));
  EXPECT_THAT(
    arranged(links, link_sort::rate),
    ElementsAre("few", "some", "twin", "many", "none", "unattributed"));
}

} // namespace
} // namespace turnout
