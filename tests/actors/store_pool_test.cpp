#include "actors/store_pool.hpp"

#include "actors/store_call.hpp"
#include "tests/actors/actors_fixture.hpp"

#include <stdexcept>

namespace turnout {

namespace {

struct store_pool_test : test::actors_fixture {
  /// Runs a job and returns its answer.
  std::future<caf::expected<int>>
  run(std::function<caf::expected<int>(storage::backend&)> work) {
    auto reply = std::make_shared<test::probe_reply<int>>();
    auto result = reply->result();
    system->spawn([this, work, reply](caf::event_based_actor* self) {
      store_call<int>(self, pool, "test", work, [reply](caf::expected<int>& x) {
        reply->deliver(std::move(x));
      });
    });
    return result;
  }
};

TEST_F(store_pool_test, answers_the_result_or_the_error_of_a_job) {
  start_pool();
  EXPECT_EQ(*test::await(run([](auto&) { return 42; })), 42);
  const auto x = test::await(run([](auto&) -> caf::expected<int> {
    return make_error(ec::not_found, "nothing there");
  }));
  ASSERT_FALSE(x);
  EXPECT_EQ(code_of(x.error()), ec::not_found);
  EXPECT_EQ(detail(x.error()), "nothing there");
}

TEST_F(store_pool_test, counts_a_store_that_does_not_answer_as_an_error) {
  start_pool();
  test::await(run([](auto&) { return 42; }));
  test::await(run([](auto&) -> caf::expected<int> {
    return make_error(ec::not_found, "an answer too");
  }));
  test::await(run([](auto&) -> caf::expected<int> {
    return make_error(ec::unavailable, "gone");
  }));
  const auto text = counters.expose();
  const std::string name = "turnout_store_operations_total{operation=\"test\"";
  EXPECT_NE(text.find(name + ",result=\"ok\"} 2"), std::string::npos) << text;
  EXPECT_NE(text.find(name + ",result=\"error\"} 1"), std::string::npos);
}

TEST_F(store_pool_test, refuses_more_than_may_wait) {
  start_pool(1, 1);
  test::latch_gate gate;
  std::promise<void> running;
  auto first = run([&](auto&) {
    running.set_value();
    gate.wait();
    return 1;
  });
  running.get_future().wait();
  // One of the two waits, the other is refused, in whatever order they arrive.
  auto second = run([](auto&) { return 2; });
  auto third = run([](auto&) { return 3; });
  eventually([&] { return counters.store_refused->Value() == 1; });
  gate.open();
  EXPECT_TRUE(test::await(std::move(first)));
  const auto a = test::await(std::move(second));
  const auto b = test::await(std::move(third));
  ASSERT_NE(static_cast<bool>(a), static_cast<bool>(b));
  EXPECT_EQ(code_of(a ? b.error() : a.error()), ec::unavailable);
}

TEST_F(store_pool_test, refuses_what_has_waited_for_too_long) {
  pool = system->spawn(
    store_pool,
    store_pool_settings{[this]() -> caf::expected<storage::backend_ptr> {
                          return storage::backend_ptr{
                            new test::memory_backend{store}};
                        },
                        1, 10, std::chrono::milliseconds{1}},
    &counters);
  test::latch_gate gate;
  std::promise<void> running;
  auto stuck = run([&](auto&) {
    running.set_value();
    gate.wait();
    return 1;
  });
  running.get_future().wait();
  // Answered while the only worker is stuck.
  const auto late = test::await(run([](auto&) { return 2; }));
  ASSERT_FALSE(late);
  EXPECT_EQ(code_of(late.error()), ec::unavailable);
  EXPECT_EQ(counters.store_refused->Value(), 1);
  EXPECT_EQ(counters.store_queue->Value(), 0);
  gate.open();
  EXPECT_TRUE(test::await(std::move(stuck)));
}

TEST_F(store_pool_test, replaces_a_worker_that_dies) {
  start_pool(1, 10);
  const auto x = test::await(
    run([](auto&) -> caf::expected<int> { throw std::runtime_error{"boom"}; }));
  ASSERT_FALSE(x);
  EXPECT_EQ(code_of(x.error()), ec::unavailable);
  EXPECT_EQ(*test::await(run([](auto&) { return 7; })), 7);
}

TEST_F(store_pool_test, goes_on_when_the_store_cannot_be_opened_for_a_while) {
  auto fails = std::make_shared<std::atomic<bool>>(true);
  pool = system->spawn(
    store_pool,
    store_pool_settings{[=, this]() -> caf::expected<storage::backend_ptr> {
                          if (*fails)
                            return make_error(ec::unavailable, "no database");
                          return storage::backend_ptr{
                            new test::memory_backend{store}};
                        },
                        1, 10},
    &counters);
  EXPECT_EQ(detail(test::await(run([](auto&) { return 1; })).error()),
            "no database");
  *fails = false;
  EXPECT_EQ(*test::await(run([](auto&) { return 1; })), 1);
}

} // namespace

} // namespace turnout
