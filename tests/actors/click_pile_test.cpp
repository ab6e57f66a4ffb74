#include "actors/click_pile.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace turnout {

namespace {

click click_of(row_key link, uint64_t id) {
  click result;
  result.id = {id, id};
  result.link_key = link;
  result.variant_key = 10 * link;
  result.created_at = timestamp{std::chrono::seconds{id}};
  return result;
}

TEST(click_pile, gives_a_batch_nothing_of_the_batch_before) {
  auto full = click_of(1, 1);
  full.is_repeat = true;
  full.stratum = 3;
  full.visitor = 4;
  full.ip_address = "198.51.100.0";
  full.user_agent = "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 "
                    "Firefox/120.0";
  full.referrer = "https://www.a-rather-long-name.example/path";
  full.country = "DE";
  click_pile pile;
  pile.add(click_of(2, 3), {1, 30});
  pile.add(full, {0, 10});
  pile.add(click_of(1, 2), {0, 20});
  pile.arrange({});
  storage::event_batch batch;
  pile.copy(0, 2, batch);
  ASSERT_EQ(batch.clicks.size(), 2u);
  EXPECT_EQ(batch.clicks[0].id, full.id);
  EXPECT_EQ(batch.clicks[0].user_agent, full.user_agent);
  EXPECT_EQ(batch.clicks[0].referrer, full.referrer);
  EXPECT_EQ(batch.classes[0].values[0], "DE");
  EXPECT_EQ(batch.classes[0].values[1], "a-rather-long-name.example");
  EXPECT_EQ(batch.classes[0].values[2], "Firefox");
  EXPECT_EQ(batch.clicks[1].id, (uuid{2, 2}));
  pile.copy(2, 3, batch);
  ASSERT_EQ(batch.clicks.size(), 1u);
  ASSERT_EQ(batch.classes.size(), 1u);
  ASSERT_EQ(batch.click_places.size(), 1u);
  const auto& last = batch.clicks[0];
  const auto plain = click_of(2, 3);
  EXPECT_EQ(last.id, plain.id);
  EXPECT_EQ(last.link_key, plain.link_key);
  EXPECT_EQ(last.variant_key, plain.variant_key);
  EXPECT_EQ(last.stratum, plain.stratum);
  EXPECT_EQ(last.is_repeat, plain.is_repeat);
  EXPECT_EQ(last.created_at, plain.created_at);
  EXPECT_EQ(last.visitor, plain.visitor);
  EXPECT_EQ(last.ip_address, "");
  EXPECT_EQ(last.user_agent, "");
  EXPECT_EQ(last.referrer, "");
  EXPECT_EQ(last.country, "");
  for (const auto& value : batch.classes[0].values)
    EXPECT_EQ(value, "unknown");
  EXPECT_EQ(batch.click_places[0].journal, 1);
  EXPECT_EQ(batch.click_places[0].position, 30);
}

TEST(click_pile, counts_each_different_text_once) {
  click_pile pile;
  auto x = click_of(1, 1);
  x.referrer = std::string(1000, 'r');
  pile.add(x, {0, 1});
  const auto one = pile.text_bytes();
  EXPECT_GE(one, 1000u);
  pile.add(x, {0, 2});
  EXPECT_EQ(pile.text_bytes(), one);
  // Short ones take memory, too.
  x.referrer = "r";
  pile.add(x, {0, 3});
  EXPECT_GT(pile.text_bytes(), one + 100);
}

} // namespace

} // namespace turnout
