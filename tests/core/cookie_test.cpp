#include "core/cookie.hpp"

#include <gtest/gtest.h>

namespace turnout {
namespace {

const auto link_id = *uuid::parse("0193670f-2a3b-7c4d-8e5f-60718293a4b5");
const auto other_id = *uuid::parse("0193670f-2a3b-7c4d-8e5f-60718293a4b6");
const sticky_cookie sticky{
  *uuid::parse("0193670f-0000-7000-8000-000000000001"),
  *uuid::parse("0193670f-0000-7000-8000-000000000002")};

const std::string name = "svc_v_0193670f-2a3b-7c4d-8e5f-60718293a4b5";
const std::string value = "0193670f-0000-7000-8000-000000000001."
                          "0193670f-0000-7000-8000-000000000002";

void expect_found(const std::string& header) {
  auto x = find_sticky_cookie(header, link_id);
  ASSERT_TRUE(x) << header;
  EXPECT_EQ(x->variant_id, sticky.variant_id);
  EXPECT_EQ(x->click_id, sticky.click_id);
}

TEST(cookie, has_the_links_name_and_both_ids) {
  EXPECT_EQ(sticky_cookie_name(link_id), name);
  EXPECT_EQ(to_cookie_value(sticky), value);
}

TEST(cookie, is_found_anywhere_in_the_header) {
  expect_found(name + "=" + value);
  expect_found("a=1; " + name + "=" + value + "; b=2");
  expect_found("a=1;" + name + "=" + value + ";");
  expect_found("junk; =; ;; " + name + " = " + value + " ");
}

TEST(cookie, is_the_first_good_one) {
  expect_found(name + "=old; " + name + "=" + value);
}

TEST(cookie, of_another_link_is_not_found) {
  EXPECT_FALSE(find_sticky_cookie(name + "=" + value, other_id));
  EXPECT_FALSE(find_sticky_cookie("", link_id));
  EXPECT_FALSE(find_sticky_cookie("x" + name + "=" + value, link_id));
  EXPECT_FALSE(find_sticky_cookie(name + "0=" + value, link_id));
}

TEST(cookie, that_is_malformed_is_not_found) {
  std::string none = "00000000-0000-0000-0000-000000000000";
  for (const auto& bad : {std::string{}, std::string{"x"}, value.substr(1),
                          value.substr(0, 36), value + "0", "\"" + value + "\"",
                          value.substr(0, 36) + "-" + value.substr(37),
                          none + value.substr(36), value.substr(0, 37) + none})
    EXPECT_FALSE(find_sticky_cookie(name + "=" + bad, link_id)) << bad;
  EXPECT_FALSE(find_sticky_cookie(name, link_id));
}

} // namespace
} // namespace turnout
