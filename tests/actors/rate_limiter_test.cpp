#include "actors/rate_limiter.hpp"

#include "core/identifiers.hpp"
#include "tests/actors/actors_fixture.hpp"

#include <algorithm>

namespace turnout {

namespace {

using namespace std::chrono_literals;
using test::probe_reply;

const auto noon = start_of(20'000) + 12h;

const auto noon_hour = int64_t{20'000} * 24 + 12;

/// Keeps what was answered.
struct answer : reply_port<rate_status> {
  void deliver(caf::expected<rate_status> x) override {
    got.push_back(*x);
  }

  std::vector<rate_status> got;
};

struct rate_limiter_test : testing::Test {
  rate_limiter_state state;
  uuid account = make_uuid(now());

  std::shared_ptr<answer> ask(const uuid& id, int limit, timestamp at,
                              bool counts = true) {
    auto result = std::make_shared<answer>();
    state.add(std::make_shared<admission_call>(
                admission_call{id, limit, counts, result}),
              at);
    return result;
  }

  /// Lets the store say what passes.
  void store_says(std::vector<storage::admitted> rows) {
    state.finish(rows);
  }
};

TEST_F(rate_limiter_test, sends_what_waits_as_one_batch) {
  const auto other = make_uuid(now());
  std::vector<std::shared_ptr<answer>> mine;
  for (int i = 0; i < 3; ++i)
    mine.push_back(ask(account, 10, noon));
  auto theirs = ask(other, 5, noon);
  auto batch = state.next(noon);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->hour, noon_hour);
  ASSERT_EQ(batch->accounts.size(), 2u);
  EXPECT_EQ(batch->accounts[0].account_id, account);
  EXPECT_EQ(batch->accounts[0].count, 3);
  EXPECT_EQ(batch->accounts[0].limit, 10);
  EXPECT_EQ(batch->accounts[1].count, 1);
  // Nothing more until the store has answered.
  auto late = ask(account, 10, noon);
  EXPECT_FALSE(state.next(noon));
  store_says({{7, 10}, {0, 1}});
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(mine[i]->got.size(), 1u);
    const auto& x = mine[i]->got[0];
    EXPECT_TRUE(x.allowed && x.is_known);
    EXPECT_EQ(x.limit, 10);
    EXPECT_EQ(x.remaining, 2 - static_cast<int>(i));
    EXPECT_EQ(x.reset_at, noon + 1h);
  }
  ASSERT_EQ(theirs->got.size(), 1u);
  EXPECT_EQ(theirs->got[0].remaining, 4);
  EXPECT_TRUE(late->got.empty());
  EXPECT_TRUE(state.next(noon));
}

TEST_F(rate_limiter_test, passes_those_who_came_first) {
  std::vector<std::shared_ptr<answer>> all;
  for (int i = 0; i < 5; ++i)
    all.push_back(ask(account, 10, noon));
  ASSERT_TRUE(state.next(noon));
  store_says({{8, 10}});
  for (size_t i = 0; i < 5; ++i) {
    ASSERT_EQ(all[i]->got.size(), 1u);
    EXPECT_EQ(all[i]->got[0].allowed, i < 2);
    EXPECT_EQ(all[i]->got[0].remaining, i == 0 ? 1 : 0);
  }
}

TEST_F(rate_limiter_test, refuses_from_memory_until_the_hour_ends) {
  ask(account, 3, noon);
  ASSERT_TRUE(state.next(noon));
  store_says({{3, 3}});
  auto refused = ask(account, 3, noon + 59min);
  ASSERT_EQ(refused->got.size(), 1u);
  EXPECT_FALSE(refused->got[0].allowed);
  EXPECT_TRUE(refused->got[0].is_known);
  EXPECT_EQ(refused->got[0].remaining, 0);
  EXPECT_EQ(refused->got[0].reset_at, noon + 1h);
  EXPECT_FALSE(state.next(noon + 59min));
  auto next_hour = ask(account, 3, noon + 1h);
  auto batch = state.next(noon + 1h);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->hour, noon_hour + 1);
  store_says({{0, 1}});
  EXPECT_TRUE(next_hour->got.at(0).allowed);
}

TEST_F(rate_limiter_test, a_raised_limit_holds_at_once) {
  ask(account, 3, noon);
  ASSERT_TRUE(state.next(noon));
  store_says({{3, 3}});
  auto x = ask(account, 4, noon);
  EXPECT_TRUE(x->got.empty());
  auto batch = state.next(noon);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->accounts[0].limit, 4);
  store_says({{3, 4}});
  EXPECT_TRUE(x->got.at(0).allowed);
  // Lowered below what was used.
  x = ask(account, 2, noon);
  ASSERT_EQ(x->got.size(), 1u);
  EXPECT_FALSE(x->got[0].allowed);
  EXPECT_EQ(x->got[0].limit, 2);
  EXPECT_EQ(x->got[0].remaining, 0);
}

TEST_F(rate_limiter_test, a_limit_of_zero_never_asks) {
  EXPECT_FALSE(ask(account, 0, noon)->got.at(0).allowed);
  EXPECT_FALSE(state.next(noon));
}

TEST_F(rate_limiter_test, telling_the_numbers_counts_nothing) {
  auto before = ask(account, 10, noon, false);
  ask(account, 10, noon);
  auto batch = state.next(noon);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->accounts[0].count, 1);
  store_says({{4, 5}});
  EXPECT_EQ(before->got.at(0).remaining, 5);
  auto alone = ask(account, 10, noon, false);
  batch = state.next(noon);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->accounts[0].count, 0);
  store_says({{5, 5}});
  EXPECT_EQ(alone->got.at(0).remaining, 5);
  EXPECT_TRUE(alone->got.at(0).is_known);
}

TEST_F(rate_limiter_test, without_the_store_it_tells_the_last_numbers) {
  ask(account, 10, noon);
  ASSERT_TRUE(state.next(noon));
  store_says({{5, 6}});
  auto x = ask(account, 10, noon);
  ASSERT_TRUE(state.next(noon));
  state.finish(make_error(ec::unavailable, "gone"));
  ASSERT_EQ(x->got.size(), 1u);
  EXPECT_FALSE(x->got[0].allowed);
  EXPECT_FALSE(x->got[0].is_known);
  EXPECT_EQ(x->got[0].limit, 10);
  EXPECT_EQ(x->got[0].remaining, 4);
  EXPECT_EQ(x->got[0].reset_at, noon + 1h);
  // It goes on when the store is back.
  x = ask(account, 10, noon);
  ASSERT_TRUE(state.next(noon));
  store_says({{6, 7}});
  EXPECT_TRUE(x->got.at(0).allowed);
}

TEST_F(rate_limiter_test, a_batch_that_ends_after_its_hour_is_of_its_hour) {
  auto x = ask(account, 3, noon + 59min);
  ASSERT_TRUE(state.next(noon + 59min));
  ask(account, 3, noon + 1h);
  store_says({{2, 3}});
  EXPECT_EQ(x->got.at(0).reset_at, noon + 1h);
  // The use of the old hour means nothing for the new one.
  auto batch = state.next(noon + 1h);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->hour, noon_hour + 1);
}

// -- actor --------------------------------------------------------------------

struct rate_limiter_actor_test : test::actors_fixture {
  rate_limiter_actor limiter;
  uuid account = make_uuid(now());

  void start() {
    start_pool();
    limiter = system->spawn(rate_limiter, pool);
  }

  ~rate_limiter_actor_test() override {
    if (limiter)
      caf::anon_send_exit(limiter, caf::exit_reason::user_shutdown);
  }

  std::future<caf::expected<rate_status>> ask(int limit) {
    auto reply = std::make_shared<probe_reply<rate_status>>();
    auto result = reply->result();
    caf::anon_send(limiter, std::make_shared<admission_call>(admission_call{
                              account, limit, true, std::move(reply)}));
    return result;
  }

  static rate_status status_of(std::future<caf::expected<rate_status>> x) {
    auto result = test::await(std::move(x));
    if (!result)
      throw std::runtime_error{detail(result.error())};
    return *result;
  }
};

TEST_F(rate_limiter_actor_test, gathers_what_comes_while_the_store_works) {
  test::latch_gate gate;
  store->hook = [&](const std::string& call) {
    if (call == "admit")
      gate.wait();
  };
  start();
  std::vector<std::future<caf::expected<rate_status>>> answers;
  answers.push_back(ask(150));
  eventually([&] { return store->count("admit") == 1; });
  for (int i = 1; i < 200; ++i)
    answers.push_back(ask(150));
  // A message behind them: all are there when it is answered.
  {
    caf::scoped_actor self{*system};
    auto reply = std::make_shared<probe_reply<rate_status>>();
    auto refused = reply->result();
    caf::anon_send(limiter, std::make_shared<admission_call>(admission_call{
                              make_uuid(now()), 0, true, std::move(reply)}));
    EXPECT_FALSE(status_of(std::move(refused)).allowed);
  }
  gate.open();
  auto passed = 0;
  for (auto& x : answers)
    passed += status_of(std::move(x)).allowed ? 1 : 0;
  EXPECT_EQ(passed, 150);
  EXPECT_EQ(store->count("admit"), 2);
  // The next ones do not reach the store any more.
  EXPECT_FALSE(status_of(ask(150)).allowed);
  EXPECT_EQ(store->count("admit"), 2);
}

TEST_F(rate_limiter_actor_test, a_new_one_goes_on_where_the_last_one_ended) {
  start();
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(status_of(ask(5)).allowed);
  caf::anon_send_exit(limiter, caf::exit_reason::kill);
  limiter = system->spawn(rate_limiter, pool);
  EXPECT_EQ(status_of(ask(5)).remaining, 1);
  EXPECT_TRUE(status_of(ask(5)).allowed);
  EXPECT_FALSE(status_of(ask(5)).allowed);
}

TEST_F(rate_limiter_actor_test, a_store_that_is_gone_lets_nobody_pass) {
  start();
  EXPECT_EQ(status_of(ask(5)).remaining, 4);
  store->down = true;
  const auto x = status_of(ask(5));
  EXPECT_FALSE(x.is_known);
  EXPECT_EQ(x.remaining, 4);
  store->down = false;
  EXPECT_EQ(status_of(ask(5)).remaining, 3);
}

} // namespace

} // namespace turnout
