#include "tests/storage/contract/fixture.hpp"

#include <set>

namespace turnout::test {

using testing::ElementsAre;

namespace {

class feed_test : public store_test {
protected:
  std::vector<std::pair<change::kind, uuid>> changes_after(int64_t seq) {
    std::vector<std::pair<change::kind, uuid>> result;
    auto found = db->changes_since(seq);
    if (found)
      for (const auto& x : *found)
        result.emplace_back(x.what, x.id);
    return result;
  }

  int64_t last() {
    auto result = db->last_change();
    return result ? *result : -1;
  }
};

} // namespace

TURNOUT_CONTRACT_SUITE(feed_test);

TEST_P(feed_test, names_each_change_in_order) {
  EXPECT_EQ(last(), 0);
  account someone;
  someone.id = make_uuid(now());
  someone.email = "a@example.org";
  ASSERT_FALSE(db->add_account(someone));
  auto x = store_link("feed-1");
  api_key key;
  key.id = make_uuid(now());
  key.account_id = owner;
  key.hash = "hash";
  ASSERT_FALSE(db->add_key(key));
  auto start = last();
  ASSERT_TRUE(db->save_link(x));
  ASSERT_FALSE(db->revoke_key(owner, key.id));
  ASSERT_FALSE(db->update_account(someone));
  using kind = change::kind;
  EXPECT_THAT(
    changes_after(0),
    ElementsAre(std::pair{kind::account, someone.id},
                std::pair{kind::link, x.id}, std::pair{kind::key, key.id},
                std::pair{kind::link, x.id}, std::pair{kind::key, key.id},
                std::pair{kind::account, someone.id}));
  EXPECT_THAT(changes_after(start),
              ElementsAre(std::pair{kind::link, x.id},
                          std::pair{kind::key, key.id},
                          std::pair{kind::account, someone.id}));
  EXPECT_TRUE(changes_after(last()).empty());
}

TEST_P(feed_test, says_nothing_of_failed_changes_events_and_key_use) {
  auto x = store_link("feed-2");
  auto start = last();
  ASSERT_FALSE(db->create_link(new_link("feed-2"), std::nullopt));
  auto stale = x;
  stale.version = 99;
  ASSERT_FALSE(db->save_link(stale));
  ASSERT_TRUE(db->revoke_key(owner, make_uuid(now())));
  store_click(x, 0, moment());
  ASSERT_FALSE(db->touch_keys({{make_uuid(now()), now()}}));
  EXPECT_EQ(last(), start);
}

TEST_P(feed_test, gives_a_thousand_at_a_time) {
  auto x = store_link("feed-3");
  for (auto i = 0; i < 1004; ++i) {
    auto saved = db->save_link(x);
    ASSERT_TRUE(saved);
    x = *saved;
  }
  auto first = db->changes_since(0);
  ASSERT_TRUE(first);
  ASSERT_EQ(first->size(), 1000u);
  for (size_t i = 1; i < first->size(); ++i)
    EXPECT_LT((*first)[i - 1].seq, (*first)[i].seq);
  EXPECT_EQ(changes_after(first->back().seq).size(), 5u);
}

TEST_P(feed_test, keeps_the_secret_of_a_day_for_everybody) {
  auto first = db->day_secrets({100, 101});
  ASSERT_TRUE(first);
  ASSERT_EQ(first->size(), 2u);
  EXPECT_EQ((*first)[0].day, 100);
  EXPECT_EQ((*first)[1].day, 101);
  EXPECT_NE((*first)[0].secret, (*first)[1].secret);
  EXPECT_NE((*first)[0].secret, day_secret{}.secret);
  db = open();
  auto second = db->day_secrets({101, 102});
  ASSERT_TRUE(second);
  EXPECT_EQ((*second)[0].secret, (*first)[1].secret);
  EXPECT_NE((*second)[1].secret, (*first)[1].secret);
}

TEST_P(feed_test, forgets_secrets_older_than_two_days_before_the_first) {
  auto old = db->day_secrets({100});
  ASSERT_TRUE(old);
  ASSERT_TRUE(db->day_secrets({102, 103}));
  auto kept = db->day_secrets({100});
  ASSERT_TRUE(kept);
  EXPECT_EQ((*kept)[0].secret, (*old)[0].secret);
  ASSERT_TRUE(db->day_secrets({103, 104}));
  auto made_anew = db->day_secrets({100});
  ASSERT_TRUE(made_anew);
  EXPECT_NE((*made_anew)[0].secret, (*old)[0].secret);
  auto none = db->day_secrets({});
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

} // namespace turnout::test
