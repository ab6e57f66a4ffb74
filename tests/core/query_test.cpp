#include "core/query.hpp"

#include <gtest/gtest.h>

namespace turnout {
namespace {

TEST(query, without_parameters_leaves_the_destination_alone) {
  for (auto url :
       {"https://a.example", "https://a.example/?", "https://a.example/?x=1&",
        "https://app.example/c?email=jo%2Btest%40mail.example#top",
        "https://a.example/#f?x=1"}) {
    EXPECT_EQ(merge_query(url, ""), url);
    EXPECT_EQ(merge_query(url, "&"), url);
    EXPECT_EQ(merge_query(url, "#f"), url);
  }
}

TEST(query, is_appended) {
  EXPECT_EQ(merge_query("https://a.example", "x=1"), "https://a.example?x=1");
  EXPECT_EQ(merge_query("https://a.example/p", "x=1"),
            "https://a.example/p?x=1");
  EXPECT_EQ(merge_query("https://a.example/?", "x=1"),
            "https://a.example/?x=1");
  EXPECT_EQ(merge_query("https://a.example/?a=1", "x=1"),
            "https://a.example/?a=1&x=1");
  EXPECT_EQ(merge_query("https://a.example/?a=1&", "x=1"),
            "https://a.example/?a=1&x=1");
}

TEST(query, goes_before_the_fragment) {
  EXPECT_EQ(merge_query("https://a.example/p#top", "x=1"),
            "https://a.example/p?x=1#top");
  EXPECT_EQ(merge_query("https://a.example/?a=1#top", "x=1"),
            "https://a.example/?a=1&x=1#top");
  EXPECT_EQ(merge_query("https://a.example/?#", "x=1"),
            "https://a.example/?x=1#");
  // A question mark in a fragment starts no query.
  EXPECT_EQ(merge_query("https://a.example/#r?x=0", "x=1"),
            "https://a.example/?x=1#r?x=0");
}

// YOURLS/YOURLS#1303
TEST(query, keeps_the_encoding_of_the_destination) {
  EXPECT_EQ(
    merge_query("https://app.example/c?email=jo%2Btest%40mail.example", "a=b"),
    "https://app.example/c?email=jo%2Btest%40mail.example&a=b");
}

// shlinkio/shlink#615
TEST(query, keeps_flags_empty_values_and_repetitions_in_order) {
  EXPECT_EQ(merge_query("https://a.example/?own=1", "flag&empty=&a=1&a=2"),
            "https://a.example/?own=1&flag&empty=&a=1&a=2");
}

// shlinkio/shlink#2213
TEST(query, keeps_names_as_sent) {
  EXPECT_EQ(merge_query("https://a.example/", "my%20key=1&a.b=2&x[]=3&%zz=%4"),
            "https://a.example/?my%20key=1&a.b=2&x[]=3&%zz=%4");
  EXPECT_EQ(merge_query("https://a.example/", "a=%c3%A9+%2B&b=x?y=z/"),
            "https://a.example/?a=%c3%A9+%2B&b=x?y=z/");
  EXPECT_EQ(merge_query("https://a.example/", "a=1&&b=2&"),
            "https://a.example/?a=1&&b=2&");
}

// dubinc/dub#1529
TEST(query, leaves_the_owners_parameters_alone) {
  EXPECT_EQ(
    merge_query("https://a.example/?utm_source=own", "utm_source=other"),
    "https://a.example/?utm_source=own");
  EXPECT_EQ(merge_query("https://a.example/?utm_source=own#f",
                        "a=1&utm_source=other&b=2&utm_source=third"),
            "https://a.example/?utm_source=own&a=1&b=2#f");
  EXPECT_EQ(merge_query("https://a.example/?flag", "flag=1&x"),
            "https://a.example/?flag&x");
}

TEST(query, compares_decoded_names) {
  EXPECT_EQ(merge_query("https://a.example/?my%20key=1", "my+key=2"),
            "https://a.example/?my%20key=1");
  EXPECT_EQ(merge_query("https://a.example/?x[]=1", "x%5b%5D=2"),
            "https://a.example/?x[]=1");
  EXPECT_EQ(merge_query("https://a.example/?a%2Bb=1", "a+b=2"),
            "https://a.example/?a%2Bb=1&a+b=2");
  EXPECT_EQ(merge_query("https://a.example/?A=1", "a=2"),
            "https://a.example/?A=1&a=2");
  // A broken encoding is only itself.
  EXPECT_EQ(merge_query("https://a.example/?%4=1", "%4=2&4=3&%=4"),
            "https://a.example/?%4=1&4=3&%=4");
}

TEST(query, compares_names_only) {
  EXPECT_EQ(merge_query("https://a.example/?a=b", "b=a"),
            "https://a.example/?a=b&b=a");
  EXPECT_EQ(merge_query("https://a.example/b=1?a=1", "b=2"),
            "https://a.example/b=1?a=1&b=2");
}

TEST(query, cannot_end_the_header) {
  EXPECT_EQ(merge_query("https://a.example/", "a=1\r\nSet-Cookie: x"),
            "https://a.example/?a=1%0D%0ASet-Cookie:%20x");
}

TEST(query, of_many_parameters_is_merged_in_reasonable_time) {
  std::string destination = "https://a.example/?";
  for (auto i = 0; i < 300; ++i)
    destination += "o" + std::to_string(i) + "=&";
  std::string visit;
  for (auto i = 0; i < 20'000; ++i)
    visit += "v&";
  auto merged = merge_query(destination, visit);
  EXPECT_EQ(merged, destination + visit);
}

TEST(query, takes_one_parameter) {
  EXPECT_EQ(add_parameter("https://a.example#f", "cid", "42"),
            "https://a.example?cid=42#f");
  EXPECT_EQ(add_parameter("https://a.example/?x=1", "cid", "42"),
            "https://a.example/?x=1&cid=42");
  EXPECT_EQ(add_parameter("https://a.example/?cid=own", "cid", "42"),
            "https://a.example/?cid=own");
}

TEST(query, a_value_may_end_in_a_question_mark) {
  EXPECT_EQ(merge_query("https://a.example/?q=what?", "x=1"),
            "https://a.example/?q=what?&x=1");
  EXPECT_EQ(merge_query("https://a.example/?q=?#top", "x=1&q=2"),
            "https://a.example/?q=?&x=1#top");
  EXPECT_EQ(merge_query("https://a.example/?", "x=1"),
            "https://a.example/?x=1");
  EXPECT_EQ(merge_query("https://a.example/??", "x=1"),
            "https://a.example/??&x=1");
}

} // namespace
} // namespace turnout
