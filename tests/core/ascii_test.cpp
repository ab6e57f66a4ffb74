#include "core/ascii.hpp"

#include <gtest/gtest.h>

namespace turnout {

namespace {

TEST(printable, is_asked_of_every_byte) {
  for (size_t size = 0; size < 20; ++size) {
    EXPECT_TRUE(is_printable(std::string(size, ' ')));
    EXPECT_TRUE(is_printable(std::string(size, '~')));
    for (size_t pos = 0; pos < size; ++pos)
      for (auto byte = 0; byte < 256; ++byte) {
        std::string text(size, 'x');
        text[pos] = static_cast<char>(byte);
        EXPECT_EQ(is_printable(text), byte >= 0x20 && byte < 0x7f)
          << byte << " at " << pos << " of " << size;
      }
  }
}

TEST(folded_text, differs_by_any_byte_but_for_case) {
  for (size_t size = 0; size < 20; ++size) {
    const std::string text(size, 'k');
    EXPECT_TRUE(equals_folded(text, std::string(size, 'K')));
    EXPECT_FALSE(equals_folded(text, std::string(size + 1, 'k')));
    for (size_t pos = 0; pos < size; ++pos)
      for (auto byte = 0; byte < 256; ++byte) {
        auto other = text;
        other[pos] = static_cast<char>(byte);
        EXPECT_EQ(equals_folded(text, other), byte == 'k' || byte == 'K')
          << byte << " at " << pos << " of " << size;
      }
  }
}

TEST(folded_text, has_the_case_of_letters_only) {
  for (auto x = 0; x < 256; ++x)
    for (auto y = 0; y < 256; ++y) {
      const auto one = static_cast<char>(x);
      const auto other = static_cast<char>(y);
      EXPECT_EQ(equals_folded(std::string(8, one), std::string(8, other)),
                to_lower(one) == to_lower(other))
        << x << " and " << y;
    }
}

} // namespace

} // namespace turnout
