// The clicks of runs of the SQLite plugin, and where they are, as bytes.

#include "plugins/sqlite/packed_clicks.hpp"

#include "plugins/sqlite/packed_places.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <tuple>
#include <vector>

namespace turnout::sqlite {

namespace {

auto fields(const packed_click& x) {
  return std::tie(x.id, x.variant_key, x.stratum, x.is_repeat, x.created_at,
                  x.visitor, x.ip_address, x.referrer, x.country, x.agent,
                  x.user_agent, x.values);
}

/// A click whose user agent is in the run.
packed_click some_click() {
  packed_click x;
  x.id = {(uint64_t{1'773'140'401'234} << 16) | 0x7abc, 0x8123'4567'89ab'cdef};
  x.variant_key = 300'000;
  x.stratum = 2;
  x.created_at = 1'773'140'401'234'567;
  x.visitor = -5;
  x.ip_address = "8.8.8.0";
  x.referrer = "https://news.example/a";
  x.country = "DE";
  x.agent = 130;
  x.values = {"DE", "news.example", "", "", ""};
  return x;
}

std::vector<packed_click> all_kinds() {
  std::vector<packed_click> result;
  result.push_back(some_click());
  auto own_agent = some_click();
  own_agent.agent = 0;
  own_agent.user_agent = "Mozilla/5.0 (X11)";
  own_agent.values = {"DE", "news.example", "Firefox", "desktop", "Linux"};
  own_agent.is_repeat = true;
  result.push_back(own_agent);
  auto unknown_country = some_click();
  unknown_country.country = {};
  unknown_country.values[0] = "unknown";
  result.push_back(unknown_country);
  auto empty = packed_click{};
  result.push_back(empty);
  // A clock that was set back, and numbers of any size.
  auto extreme = some_click();
  extreme.created_at = 0;
  extreme.variant_key = std::numeric_limits<row_key>::max();
  extreme.stratum = std::numeric_limits<int>::max();
  extreme.visitor = std::numeric_limits<int64_t>::min();
  extreme.agent = std::numeric_limits<int64_t>::max();
  extreme.id = {std::numeric_limits<uint64_t>::max(), 0};
  result.push_back(extreme);
  static const std::string long_text(2048, '\xc3');
  auto long_texts = some_click();
  long_texts.referrer = long_text;
  result.push_back(long_texts);
  return result;
}

std::string pack_all(const std::vector<packed_click>& clicks) {
  std::string result;
  for (const auto& x : clicks)
    pack(x, result);
  return result;
}

} // namespace

TEST(packed_clicks, come_back_as_they_were) {
  const auto clicks = all_kinds();
  const auto bytes = pack_all(clicks);
  byte_reader from{bytes};
  packed_click x;
  for (const auto& expected : clicks) {
    ASSERT_TRUE(unpack(from, x));
    EXPECT_EQ(fields(x), fields(expected));
  }
  EXPECT_FALSE(unpack(from, x));
  EXPECT_FALSE(from.is_damaged());
}

// The format is in files of users: a change of it is a step of the schema.
TEST(packed_clicks, keep_their_format) {
  auto x = some_click();
  x.is_repeat = true;
  x.values[0] = "unknown";
  std::string bytes;
  pack(x, bytes);
  const std::string expected{"\x03"                             // flags
                             "\xbc\x7a\x52\x5c\x67\xd7\x9c\x01" // id
                             "\xef\xcd\xab\x89\x67\x45\x23\x81"
                             "\xfb\xff\xff\xff\xff\xff\xff\xff" // visitor
                             "\xee\x08"     // 567 microseconds later
                             "\xe0\xa7\x12" // variant
                             "\x02"         // stratum
                             "\x82\x01"     // agent
                             "\x07"
                             "8.8.8.0"
                             "\x16"
                             "https://news.example/a"
                             "\x0c"
                             "news.example"
                             "\x02"
                             "DE"
                             "\x07"
                             "unknown"};
  EXPECT_EQ(bytes, expected);
}

TEST(packed_clicks, that_are_cut_off_are_damaged) {
  const auto clicks = all_kinds();
  std::vector<size_t> ends{0};
  std::string bytes;
  for (const auto& x : clicks) {
    pack(x, bytes);
    ends.push_back(bytes.size());
  }
  for (size_t size = 0; size < bytes.size(); ++size) {
    byte_reader from{std::string_view{bytes}.substr(0, size)};
    size_t count = 0;
    for (packed_click x; unpack(from, x); ++count)
      EXPECT_EQ(fields(x), fields(clicks[count]));
    const auto is_whole
      = std::find(ends.begin(), ends.end(), size) != ends.end();
    EXPECT_EQ(from.is_damaged(), !is_whole) << size;
  }
}

TEST(packed_clicks, of_any_bytes_are_no_danger) {
  std::mt19937 random{5};
  const auto bytes = pack_all(all_kinds());
  for (int i = 0; i < 20'000; ++i) {
    auto changed = bytes;
    for (auto n = random() % 4 + 1; n > 0; --n)
      changed[random() % changed.size()] = static_cast<char>(random());
    byte_reader from{changed};
    size_t read = 0;
    for (packed_click x; unpack(from, x);)
      read += x.ip_address.size() + x.user_agent.size() + x.referrer.size();
    EXPECT_LE(read, changed.size());
  }
}

TEST(packed_places, come_back_as_they_were) {
  std::string bytes;
  pack(packed_place{255, 1, 0}, bytes);
  pack(packed_place{0, std::numeric_limits<row_key>::max(), 70'000}, bytes);
  byte_reader from{bytes};
  packed_place x;
  ASSERT_TRUE(unpack(from, x));
  EXPECT_EQ(std::tie(x.mark, x.link_key, x.run),
            std::tuple(255, row_key{1}, int64_t{0}));
  ASSERT_TRUE(unpack(from, x));
  EXPECT_EQ(
    std::tie(x.mark, x.link_key, x.run),
    std::tuple(0, std::numeric_limits<row_key>::max(), int64_t{70'000}));
  EXPECT_FALSE(unpack(from, x));
  EXPECT_FALSE(from.is_damaged());
  byte_reader cut{std::string_view{bytes}.substr(0, bytes.size() - 1)};
  EXPECT_TRUE(unpack(cut, x));
  EXPECT_FALSE(unpack(cut, x));
  EXPECT_TRUE(cut.is_damaged());
}

} // namespace turnout::sqlite
