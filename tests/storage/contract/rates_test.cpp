#include "tests/storage/contract/fixture.hpp"

#include <atomic>
#include <thread>

namespace turnout::test {

namespace {

class rates_test : public store_test {
protected:
  static constexpr int64_t hour = 490'000;

  admitted admit(backend& to, const uuid& account, int limit, int count,
                 int64_t at = hour) {
    auto result = to.admit({{account, limit, count}}, at);
    if (!result)
      throw std::runtime_error{detail(result.error())};
    EXPECT_EQ(result->size(), 1u);
    return result->at(0);
  }

  admitted admit(const uuid& account, int limit, int count, int64_t at = hour) {
    return admit(*db, account, limit, count, at);
  }
};

bool operator==(const admitted& x, const admitted& y) {
  return x.used_before == y.used_before && x.used_after == y.used_after;
}

} // namespace

TURNOUT_CONTRACT_SUITE(rates_test);

TEST_P(rates_test, pass_up_to_the_limit) {
  EXPECT_TRUE(admit(owner, 10, 4) == (admitted{0, 4}));
  EXPECT_TRUE(admit(owner, 10, 4) == (admitted{4, 8}));
  EXPECT_TRUE(admit(owner, 10, 4) == (admitted{8, 10}));
  EXPECT_TRUE(admit(owner, 10, 4) == (admitted{10, 10}));
  EXPECT_TRUE(admit(owner, 0, 4) == (admitted{10, 10}));
}

TEST_P(rates_test, follow_a_changed_limit) {
  admit(owner, 10, 10);
  EXPECT_TRUE(admit(owner, 5, 1) == (admitted{10, 10}));
  EXPECT_TRUE(admit(owner, 12, 5) == (admitted{10, 12}));
}

TEST_P(rates_test, count_accounts_and_hours_apart) {
  auto other = make_uuid(now());
  auto result = db->admit({{owner, 3, 5}, {other, 7, 2}}, hour);
  ASSERT_TRUE(result) << detail(result.error());
  ASSERT_EQ(result->size(), 2u);
  EXPECT_TRUE(result->at(0) == (admitted{0, 3}));
  EXPECT_TRUE(result->at(1) == (admitted{0, 2}));
  EXPECT_TRUE(admit(owner, 3, 1, hour + 1) == (admitted{0, 1}));
  EXPECT_TRUE(admit(owner, 3, 1, hour) == (admitted{3, 3}));
  auto nobody = db->admit({}, hour);
  ASSERT_TRUE(nobody);
  EXPECT_TRUE(nobody->empty());
}

TEST_P(rates_test, are_told_without_counting) {
  EXPECT_TRUE(admit(owner, 10, 0) == (admitted{0, 0}));
  admit(owner, 10, 4);
  EXPECT_TRUE(admit(owner, 10, 0) == (admitted{4, 4}));
  EXPECT_TRUE(admit(owner, 10, 1) == (admitted{4, 5}));
}

TEST_P(rates_test, forget_hours_before_the_last_one) {
  admit(owner, 10, 4);
  // A clock that is behind still finds its hour.
  admit(owner, 10, 1, hour + 1);
  EXPECT_TRUE(admit(owner, 10, 0) == (admitted{4, 4}));
  admit(owner, 10, 1, hour + 2);
  EXPECT_TRUE(admit(owner, 10, 0) == (admitted{0, 0}));
}

TEST_P(rates_test, are_there_after_the_connection_is_gone) {
  admit(owner, 10, 4);
  db = open();
  EXPECT_TRUE(admit(owner, 10, 4) == (admitted{4, 8}));
}

TEST_P(rates_test, never_pass_the_limit_however_many_ask) {
  constexpr int limit = 150;
  std::atomic<int> passed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, connection = open()] {
      for (int j = 0; j < 25; ++j) {
        auto x = admit(*connection, owner, limit, 2);
        passed += x.used_after - x.used_before;
      }
    });
  for (auto& x : threads)
    x.join();
  EXPECT_EQ(passed, limit);
  EXPECT_TRUE(admit(owner, limit, 1) == (admitted{limit, limit}));
}

} // namespace turnout::test
