#include "core/utf8.hpp"

#include <gtest/gtest.h>

namespace turnout {
namespace {

TEST(utf8, decodes_every_length) {
  EXPECT_EQ(first_char("a").code, U'a');
  EXPECT_EQ(first_char("\u00e9x").code, U'\u00e9');
  EXPECT_EQ(first_char("\u20acx").code, U'\u20ac');
  EXPECT_EQ(first_char("\U0001f600x").code, U'\U0001f600');
  EXPECT_EQ(first_char("\U0001f600x").size, 4u);
  EXPECT_EQ(first_char("\U0010ffff").code, U'\U0010ffff');
  EXPECT_EQ(first_char({"\0", 1}).size, 1u);
}

TEST(utf8, refuses_what_is_not_utf8) {
  for (auto bad : {"\x80",
                   "\xbf",
                   "\xc0\x80",
                   "\xc1\xbf",
                   "\xe0\x80\x80",
                   "\xe0\x9f\xbf",
                   "\xf0\x80\x80\x80",
                   "\xf0\x8f\xbf\xbf",
                   "\xed\xa0\x80",
                   "\xed\xbf\xbf",
                   "\xf4\x90\x80\x80",
                   "\xf8\x88\x80\x80\x80",
                   "\xfe",
                   "\xff",
                   "\xc3",
                   "\xe2\x82",
                   "\xf0\x9f\x98",
                   "\xc3(",
                   "\xe2(\xac",
                   ""})
    EXPECT_EQ(first_char(bad).size, 0u) << bad;
}

TEST(utf8, knows_controls_and_white_space) {
  for (auto c : {U'\0', U'\n', U'\x1f', U'\x7f', U'\x80', U'\x9f'})
    EXPECT_TRUE(is_control(c));
  for (auto c : {U' ', U'~', U'\xa0', U'\u2028'})
    EXPECT_FALSE(is_control(c));
  for (auto c : {U' ', U'\t', U'\x85', U'\xa0', U'\u1680', U'\u2003', U'\u2028',
                 U'\u202f', U'\u205f', U'\u3000'})
    EXPECT_TRUE(is_white_space(c));
  for (auto c : {U'a', U'\u200b', U'\ufeff', U'\u180e'})
    EXPECT_FALSE(is_white_space(c));
}

} // namespace
} // namespace turnout
