#include "tests/journal/journal_fixture.hpp"

#include <limits>

namespace turnout::journal::test {

namespace {

constexpr auto smallest = std::numeric_limits<int64_t>::min();
constexpr auto greatest = std::numeric_limits<int64_t>::max();
constexpr auto all_ones = std::numeric_limits<uint64_t>::max();

class round_trip : public journal_fixture {
protected:
  // Commits one event and returns what a reader makes of it.
  template <class T>
  T pass(T x) {
    auto out = open_writer();
    out->append(std::move(x));
    EXPECT_FALSE(out->commit());
    auto entries = read_all();
    EXPECT_EQ(entries.size(), 1u);
    return std::get<T>(entries.at(0).what);
  }
};

void expect_equal(const click& x, const click& y) {
  EXPECT_EQ(x.id, y.id);
  EXPECT_EQ(x.link_key, y.link_key);
  EXPECT_EQ(x.variant_key, y.variant_key);
  EXPECT_EQ(x.stratum, y.stratum);
  EXPECT_EQ(x.is_repeat, y.is_repeat);
  EXPECT_EQ(x.created_at, y.created_at);
  EXPECT_EQ(x.visitor, y.visitor);
  EXPECT_EQ(x.ip_address, y.ip_address);
  EXPECT_EQ(x.user_agent, y.user_agent);
  EXPECT_EQ(x.referrer, y.referrer);
  EXPECT_EQ(x.country, y.country);
}

void expect_equal(const conversion_request& x, const conversion_request& y) {
  EXPECT_EQ(x.id, y.id);
  EXPECT_EQ(x.link_id, y.link_id);
  EXPECT_EQ(x.click_id, y.click_id);
  EXPECT_EQ(x.variant_id, y.variant_id);
  EXPECT_EQ(x.visitors, y.visitors);
  EXPECT_EQ(x.event_id, y.event_id);
  EXPECT_EQ(x.value, y.value);
  EXPECT_EQ(x.currency, y.currency);
  EXPECT_EQ(x.occurred_at, y.occurred_at);
  EXPECT_EQ(x.created_at, y.created_at);
  EXPECT_EQ(x.may_be_unattributed, y.may_be_unattributed);
}

conversion_request full_conversion() {
  return {{0x0123456789abcdef, 0xfedcba9876543210},
          {3, 4},
          {5, 6},
          {7, 8},
          {-9, 10},
          "order 11 \xc3\xa9",
          "12.34",
          "EUR",
          from_micros(1'790'000'000'000'001),
          from_micros(1'790'000'000'000'002),
          true};
}

} // namespace

TEST_F(round_trip, click_keeps_every_field) {
  click x{{0x0123456789abcdef, 0xfedcba9876543210},
          1'234'567'890'123,
          987'654'321'098,
          17,
          true,
          from_micros(1'790'000'000'123'456),
          -5'000'000'000,
          "2001:db8:1::",
          "Mozilla/5.0 (\xe2\x9c\x93 'quoted' \"twice\" %_; --"
          " \xf0\x9f\x98\x80)",
          "https://www.news.example/a?b=c#d",
          "DE"};
  expect_equal(pass(x), x);
}

TEST_F(round_trip, click_of_defaults) {
  expect_equal(pass(click{}), click{});
}

TEST_F(round_trip, click_of_extremes) {
  for (auto n : {smallest, greatest}) {
    click x;
    x.id = {all_ones, all_ones};
    x.link_key = x.variant_key = x.visitor = n;
    x.stratum = n < 0 ? std::numeric_limits<int>::min()
                      : std::numeric_limits<int>::max();
    x.created_at = from_micros(n);
    x.user_agent = std::string(512, 'u');
    x.referrer = std::string(2048, 'r');
    expect_equal(pass(x), x);
    fs::remove_all(dir);
  }
}

TEST_F(round_trip, text_larger_than_others) {
  click x;
  for (int i = 0; i < 100'000; ++i)
    x.referrer += static_cast<char>('a' + i % 26);
  expect_equal(pass(x), x);
}

TEST_F(round_trip, nul_characters_are_left_out) {
  click x;
  x.user_agent = std::string{"a\0b\0", 4};
  x.referrer = std::string{"\0", 1};
  auto y = pass(x);
  EXPECT_EQ(y.user_agent, "ab");
  EXPECT_EQ(y.referrer, "");
}

TEST_F(round_trip, excluded_visit_of_each_reason) {
  auto out = open_writer();
  for (size_t i = 0; i < num_exclusions; ++i)
    out->append(excluded_visit{static_cast<row_key>(40 + i),
                               static_cast<exclusion>(i),
                               from_micros(static_cast<int64_t>(i) - 2)});
  ASSERT_FALSE(out->commit());
  auto entries = read_all();
  ASSERT_EQ(entries.size(), num_exclusions);
  for (size_t i = 0; i < num_exclusions; ++i) {
    auto& x = std::get<excluded_visit>(entries[i].what);
    EXPECT_EQ(x.link_key, static_cast<row_key>(40 + i));
    EXPECT_EQ(x.reason, static_cast<exclusion>(i));
    EXPECT_EQ(x.created_at, from_micros(static_cast<int64_t>(i) - 2));
  }
}

TEST_F(round_trip, conversion_keeps_every_field) {
  expect_equal(pass(full_conversion()), full_conversion());
}

TEST_F(round_trip, conversion_of_defaults) {
  expect_equal(pass(conversion_request{}), conversion_request{});
}

TEST_F(round_trip, conversion_of_extremes) {
  conversion_request x;
  x.id = x.link_id = x.click_id = x.variant_id = {all_ones, 1};
  x.visitors = {smallest, greatest};
  x.event_id = std::string(255, 'e');
  x.occurred_at = from_micros(smallest);
  x.created_at = from_micros(greatest);
  expect_equal(pass(x), x);
}

TEST_F(round_trip, kinds_of_one_turn_keep_their_order) {
  auto out = open_writer();
  for (int i = 0; i < 30; ++i) {
    if (i % 3 == 0)
      out->append(full_conversion());
    else if (i % 3 == 1)
      out->append(excluded_visit{i, exclusion::head, from_micros(i)});
    else
      out->append(numbered(i));
  }
  EXPECT_EQ(out->pending(), 30u);
  ASSERT_FALSE(out->commit());
  EXPECT_EQ(out->pending(), 0u);
  auto entries = read_all();
  ASSERT_EQ(entries.size(), 30u);
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(entries[i].position, i + 1);
    if (i % 3 == 0)
      expect_equal(std::get<conversion_request>(entries[i].what),
                   full_conversion());
    else if (i % 3 == 1)
      EXPECT_EQ(std::get<excluded_visit>(entries[i].what).link_key, i);
    else
      EXPECT_EQ(serial_of(entries[i]), i);
  }
}

TEST_F(round_trip, a_kind_leaves_nothing_in_the_next_row) {
  auto out = open_writer();
  click full;
  full.is_repeat = true;
  full.ip_address = "198.51.100.0";
  full.user_agent = std::string(100, 'u');
  full.referrer = std::string(200, 'r');
  full.country = "DE";
  out->append(full_conversion());
  out->append(click{});
  out->append(full);
  out->append(click{});
  out->append(full_conversion());
  out->append(conversion_request{});
  ASSERT_FALSE(out->commit());
  auto entries = read_all();
  ASSERT_EQ(entries.size(), 6u);
  expect_equal(std::get<click>(entries[1].what), click{});
  expect_equal(std::get<click>(entries[2].what), full);
  expect_equal(std::get<click>(entries[3].what), click{});
  expect_equal(std::get<conversion_request>(entries[5].what),
               conversion_request{});
}

} // namespace turnout::journal::test
