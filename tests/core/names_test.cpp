#include "core/event.hpp"
#include "core/model.hpp"
#include "core/report.hpp"

#include <gtest/gtest.h>

namespace turnout {
namespace {

TEST(names, of_routing_types) {
  EXPECT_STREQ(to_string(routing_type::ab_test), "ab_test");
  EXPECT_STREQ(to_string(routing_type::geo), "geo");
  EXPECT_EQ(parse_routing_type("ab_test"), routing_type::ab_test);
  EXPECT_EQ(parse_routing_type("geo"), routing_type::geo);
  for (auto bad : {"", "GEO", "ab-test", "geo ", "random"})
    EXPECT_FALSE(parse_routing_type(bad)) << bad;
}

TEST(names, of_key_types) {
  EXPECT_STREQ(to_string(key_type::secret), "secret");
  EXPECT_STREQ(to_string(key_type::publishable), "publishable");
  EXPECT_STREQ(to_string(key_type::live), "live");
  EXPECT_STREQ(prefix_of(key_type::secret), "svc_sk_");
  EXPECT_STREQ(prefix_of(key_type::publishable), "svc_pk_");
  EXPECT_STREQ(prefix_of(key_type::live), "svc_live_");
  EXPECT_EQ(parse_key_type("secret"), key_type::secret);
  EXPECT_EQ(parse_key_type("publishable"), key_type::publishable);
  EXPECT_EQ(parse_key_type("live"), key_type::live);
  for (auto bad : {"", "Secret", "sk", "secret "})
    EXPECT_FALSE(parse_key_type(bad)) << bad;
}

TEST(names, of_exclusions) {
  EXPECT_STREQ(to_string(exclusion::head), "head");
  EXPECT_STREQ(to_string(exclusion::prefetch), "prefetch");
  EXPECT_STREQ(to_string(exclusion::preview), "preview");
  EXPECT_STREQ(to_string(exclusion::crawler), "crawler");
}

TEST(names, of_dimensions) {
  EXPECT_STREQ(to_string(dimension::country), "country");
  EXPECT_STREQ(to_string(dimension::referrer), "referrer");
  EXPECT_STREQ(to_string(dimension::browser), "browser");
  EXPECT_STREQ(to_string(dimension::device), "device");
  EXPECT_STREQ(to_string(dimension::system), "system");
}

} // namespace
} // namespace turnout
