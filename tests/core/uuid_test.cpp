#include "core/uuid.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace turnout {
namespace {

constexpr auto text = "0193670f-2a3b-7c4d-8e5f-60718293a4b5";

TEST(uuid, parses_and_renders) {
  auto x = uuid::parse(text);
  ASSERT_TRUE(x);
  EXPECT_EQ(x->hi, 0x0193670f2a3b7c4dull);
  EXPECT_EQ(x->lo, 0x8e5f60718293a4b5ull);
  EXPECT_EQ(x->str(), text);
}

TEST(uuid, renders_each_byte_at_each_place) {
  for (size_t place = 0; place < 16; ++place)
    for (uint64_t byte = 0; byte < 256; ++byte) {
      uuid x{0x0123'4567'89ab'cdef, 0xfedc'ba98'7654'3210};
      auto& half = place < 8 ? x.hi : x.lo;
      const auto shift = 56 - 8 * (place % 8);
      half = (half & ~(uint64_t{0xff} << shift)) | byte << shift;
      char expected[37];
      std::snprintf(expected, sizeof(expected), "%08x-%04x-%04x-%04x-%012lx",
                    static_cast<uint32_t>(x.hi >> 32),
                    static_cast<uint32_t>(x.hi >> 16 & 0xffff),
                    static_cast<uint32_t>(x.hi & 0xffff),
                    static_cast<uint32_t>(x.lo >> 48), x.lo & 0xffff'ffff'ffff);
      EXPECT_EQ(x.str(), expected);
    }
}

TEST(uuid, takes_upper_case_and_renders_lower_case) {
  auto x = uuid::parse("0193670F-2A3B-7C4D-8E5F-60718293A4B5");
  ASSERT_TRUE(x);
  EXPECT_EQ(x->str(), text);
}

TEST(uuid, refuses_everything_else) {
  for (auto bad : {"", "0", "0193670f2a3b7c4d8e5f60718293a4b5",
                   "{0193670f-2a3b-7c4d-8e5f-60718293a4b5}",
                   "0193670f-2a3b-7c4d-8e5f-60718293a4b",
                   "0193670f-2a3b-7c4d-8e5f-60718293a4b56",
                   "0193670g-2a3b-7c4d-8e5f-60718293a4b5",
                   "0193670f-2a3b-7c4d-8e5f_60718293a4b5",
                   "0193670f-2a3b-7c4d-8e5-f60718293a4b5",
                   " 193670f-2a3b-7c4d-8e5f-60718293a4b5"})
    EXPECT_FALSE(uuid::parse(bad)) << bad;
}

TEST(uuid, of_zeros_is_none) {
  auto x = uuid::parse("00000000-0000-0000-0000-000000000000");
  ASSERT_TRUE(x);
  EXPECT_FALSE(*x);
  EXPECT_EQ(*x, uuid{});
  EXPECT_TRUE((uuid{0, 1}));
  EXPECT_TRUE((uuid{1, 0}));
}

TEST(uuid, orders_by_its_first_bytes) {
  EXPECT_LT((uuid{1, 9}), (uuid{2, 0}));
  EXPECT_LT((uuid{1, 8}), (uuid{1, 9}));
}

} // namespace
} // namespace turnout
