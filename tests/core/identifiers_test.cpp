#include "core/identifiers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <thread>
#include <vector>

namespace turnout {
namespace {

TEST(identifiers, make_uuids_of_version_7) {
  auto at = from_micros(1795816737123456);
  auto id = make_uuid(at);
  EXPECT_EQ(id.hi >> 16, 1795816737123u);
  EXPECT_EQ((id.hi >> 12) & 0xf, 7u);
  EXPECT_EQ(id.lo >> 62, 2u);
  EXPECT_EQ(time_of(id), from_micros(1795816737123000));
  auto text = id.str();
  EXPECT_EQ(text[14], '7');
  EXPECT_NE(std::string{"89ab"}.find(text[19]), std::string::npos);
}

TEST(identifiers, order_uuids_by_time) {
  auto at = from_micros(1795816737123456);
  for (auto i = 0; i < 100; ++i)
    EXPECT_LT(make_uuid(at), make_uuid(at + std::chrono::milliseconds{1}));
}

TEST(identifiers, never_make_a_uuid_twice) {
  auto at = now();
  std::array<std::vector<uuid>, 4> made;
  std::vector<std::thread> threads;
  for (auto& xs : made)
    threads.emplace_back([&xs, at] {
      for (auto i = 0; i < 10'000; ++i)
        xs.push_back(make_uuid(at));
    });
  for (auto& x : threads)
    x.join();
  std::set<uuid> all;
  for (const auto& xs : made)
    all.insert(xs.begin(), xs.end());
  EXPECT_EQ(all.size(), 40'000u);
}

TEST(identifiers, use_every_random_bit_of_a_uuid) {
  auto at = now();
  uuid ones;
  uuid zeros;
  for (auto i = 0; i < 200; ++i) {
    auto x = make_uuid(at);
    ones.hi |= x.hi;
    ones.lo |= x.lo;
    zeros.hi |= ~x.hi;
    zeros.lo |= ~x.lo;
  }
  EXPECT_EQ(ones.hi & zeros.hi, 0x0fffu);
  EXPECT_EQ(ones.lo & zeros.lo, 0x3fff'ffff'ffff'ffffu);
}

TEST(identifiers, draw_evenly) {
  std::array<int, 16> n{};
  for (auto i = 0; i < 160'000; ++i)
    ++n[fast_random() >> 28];
  // Chi-square of 15 degrees of freedom: above 60 once in millions of runs.
  auto sum = 0.0;
  for (auto x : n)
    sum += (x - 10'000.0) * (x - 10'000.0) / 10'000.0;
  EXPECT_LT(sum, 60);
}

TEST(identifiers, draw_differently_in_each_thread) {
  std::array<uint32_t, 4> mine;
  std::generate(mine.begin(), mine.end(), fast_random);
  std::array<uint32_t, 4> theirs;
  std::thread{[&] {
    std::generate(theirs.begin(), theirs.end(), fast_random);
  }}.join();
  EXPECT_NE(mine, theirs);
}

TEST(identifiers, fill_random_bytes) {
  std::array<uint8_t, 32> x{};
  std::array<uint8_t, 32> y{};
  random_bytes(x);
  random_bytes(y);
  EXPECT_NE(x, y);
  EXPECT_NE(x, (std::array<uint8_t, 32>{}));
  random_bytes({});
}

TEST(identifiers, make_slugs_without_look_alikes) {
  std::set<char> seen;
  std::set<std::string> slugs;
  for (auto i = 0; i < 2'000; ++i) {
    auto slug = make_slug(7);
    EXPECT_EQ(slug.size(), 7u);
    seen.insert(slug.begin(), slug.end());
    slugs.insert(slug);
  }
  std::string expected
    = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
  EXPECT_EQ(std::string(seen.begin(), seen.end()), expected);
  EXPECT_GT(slugs.size(), 1'990u);
  EXPECT_EQ(make_slug(32).size(), 32u);
}

TEST(identifiers, make_keys_of_each_type) {
  std::set<char> seen;
  for (auto type : {key_type::secret, key_type::publishable, key_type::live}) {
    for (auto i = 0; i < 300; ++i) {
      auto key = make_key(type);
      std::string prefix = prefix_of(type);
      ASSERT_EQ(key.size(), prefix.size() + 32);
      EXPECT_EQ(key.substr(0, prefix.size()), prefix);
      EXPECT_EQ(type_of_key(key), type);
      EXPECT_EQ(key_prefix(key), key.substr(0, prefix.size() + 4));
      seen.insert(key.begin() + static_cast<ptrdiff_t>(prefix.size()),
                  key.end());
    }
  }
  EXPECT_EQ(seen.size(), 62u);
  EXPECT_NE(make_key(key_type::secret), make_key(key_type::secret));
}

TEST(identifiers, refuse_malformed_keys) {
  std::string random = "0123456789abcdefghijABCDEFGHIJxy";
  ASSERT_EQ(random.size(), 32u);
  EXPECT_EQ(type_of_key("svc_live_" + random), key_type::live);
  for (const auto& bad :
       {std::string{}, std::string{"svc_sk_"}, random, "svc_xx_" + random,
        "SVC_sk_" + random, "svc_sk_" + random + "z",
        "svc_sk_" + random.substr(1), "svc_sk_" + random.substr(1) + "-",
        " svc_sk_" + random, "svc_sk_" + random.substr(1) + " ",
        std::string(1 << 20, 'a')}) {
    EXPECT_FALSE(type_of_key(bad));
    EXPECT_EQ(key_prefix(bad), "");
  }
}

TEST(identifiers, hash_with_sha256) {
  EXPECT_EQ(sha256_hex(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("svc_sk_abc"),
            "8527cad6a2babba909240a12b3c0f0c97efeba6aa36cdfd0af7257e4ddaaadb5");
}

} // namespace
} // namespace turnout
