#include "core/time.hpp"

#include <gtest/gtest.h>

namespace turnout {
namespace {

std::string parsed(std::string_view text) {
  auto x = parse_date_or_time(text);
  if (!x)
    return "nothing";
  return (x->date_only ? "day " : "") + to_iso8601(x->at);
}

TEST(time, renders_milliseconds_and_z) {
  EXPECT_EQ(to_iso8601(from_micros(0)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_iso8601(from_micros(1795816737123999)),
            "2026-11-27T21:58:57.123Z");
  EXPECT_EQ(to_iso8601(from_micros(951782399999000)),
            "2000-02-28T23:59:59.999Z");
  EXPECT_EQ(to_iso8601(from_micros(-1)), "1969-12-31T23:59:59.999Z");
}

TEST(time, renders_what_is_stored) {
  EXPECT_EQ(to_iso8601_micros(from_micros(0)), "1970-01-01T00:00:00.000000Z");
  for (int64_t us : {1795816737123456, 951782399000007, 1795816737120000}) {
    auto back = parse_date_or_time(to_iso8601_micros(from_micros(us)));
    ASSERT_TRUE(back);
    EXPECT_EQ(to_micros(back->at), us);
  }
}

TEST(time, knows_the_day_of_a_moment) {
  EXPECT_EQ(day_of(from_micros(0)), 0);
  EXPECT_EQ(day_of(from_micros(86'399'999'999)), 0);
  EXPECT_EQ(day_of(from_micros(86'400'000'000)), 1);
  EXPECT_EQ(day_of(from_micros(-1)), -1);
  EXPECT_EQ(to_iso_date(day_of(from_micros(1795816737123999))), "2026-11-27");
  EXPECT_EQ(to_iso_date(0), "1970-01-01");
  EXPECT_EQ(to_micros(start_of(2)), 172'800'000'000);
}

TEST(time, parses_days) {
  EXPECT_EQ(parsed("2026-11-27"), "day 2026-11-27T00:00:00.000Z");
  EXPECT_EQ(parsed("2024-02-29"), "day 2024-02-29T00:00:00.000Z");
  EXPECT_EQ(parsed("1970-01-01"), "day 1970-01-01T00:00:00.000Z");
  EXPECT_EQ(parsed("9999-12-31"), "day 9999-12-31T00:00:00.000Z");
}

TEST(time, parses_moments) {
  EXPECT_EQ(parsed("2026-11-27T21:58"), "2026-11-27T21:58:00.000Z");
  EXPECT_EQ(parsed("2026-11-27T21:58Z"), "2026-11-27T21:58:00.000Z");
  EXPECT_EQ(parsed("2026-11-27T21:58:57"), "2026-11-27T21:58:57.000Z");
  EXPECT_EQ(parsed("2026-11-27T21:58:57.1Z"), "2026-11-27T21:58:57.100Z");
  EXPECT_EQ(parsed("2026-11-27T21:58:57.123456Z"), "2026-11-27T21:58:57.123Z");
  EXPECT_EQ(to_micros(parse_date_or_time("1970-01-01T00:00:00.123456789Z")->at),
            123'456);
}

TEST(time, honours_zones) {
  EXPECT_EQ(parsed("2026-03-01T00:00:00+02:00"), "2026-02-28T22:00:00.000Z");
  EXPECT_EQ(parsed("2026-12-31T23:30:00-05:45"), "2027-01-01T05:15:00.000Z");
  EXPECT_EQ(parsed("2026-03-01T00:00:00-00:00"), "2026-03-01T00:00:00.000Z");
}

TEST(time, reads_back_what_it_renders) {
  auto t = from_micros(1795816737123000);
  EXPECT_EQ(parse_date_or_time(to_iso8601(t))->at, t);
}

TEST(time, refuses_everything_else) {
  for (auto bad :
       {"", "today", "2026", "2026-11", "2026-1-27", "26-11-27", "2026-02-30",
        "2025-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-04-31",
        "1969-12-31", "10000-01-01", "2026-11-27 ", " 2026-11-27", "2026/11/27",
        "2026-11-27T", "2026-11-27T21", "2026-11-27T24:00", "2026-11-27T21:60",
        "2026-11-27T21:58:60", "2026-11-27T21:58:5", "2026-11-27T21:58:57.",
        "2026-11-27T21:58:57.Z", "2026-11-27T21:58.5", "2026-11-27 21:58:57",
        "2026-11-27t21:58:57z", "2026-11-27T21:58:57ZZ",
        "2026-11-27T21:58:57+2", "2026-11-27T21:58:57+0200",
        "2026-11-27T21:58:57+24:00", "2026-11-27T21:58:57+02:60",
        "2026-11-27T21:58:57+",
        // A raw plus in a query is a space.
        "2026-03-01T00:00:00 02:00", "-026-11-27", "+026-11-27",
        // Moved out of the years by their zones.
        "1970-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"})
    EXPECT_EQ(parsed(bad), "nothing") << bad;
  EXPECT_EQ(parsed(std::string_view{"2026-11-27\0", 11}), "nothing");
}

} // namespace
} // namespace turnout
