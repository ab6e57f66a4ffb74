#include "reactor/reactor_pool.hpp"

#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <csignal>
#include <future>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

using namespace turnout;

namespace {

/// Runs `f` on a reactor and returns its result.
template <class F>
auto on(reactor_pool& pool, size_t index, F f) {
  std::promise<decltype(f())> result;
  pool.post(index, [&] { result.set_value(f()); });
  return result.get_future().get();
}

} // namespace

TEST(reactor_pool, has_at_least_one_reactor) {
  EXPECT_EQ(reactor_pool{0}.size(), 1u);
  EXPECT_EQ(reactor_pool{3}.size(), 3u);
}

TEST(reactor_pool, runs_each_context_on_a_thread_of_its_own) {
  reactor_pool pool{3};
  pool.start();
  std::set<std::thread::id> threads;
  for (size_t i = 0; i < pool.size(); ++i) {
    auto id = on(pool, i, [] { return std::this_thread::get_id(); });
    EXPECT_NE(id, std::this_thread::get_id());
    threads.insert(id);
    std::promise<std::thread::id> same;
    asio::post(pool.context(i),
               [&] { same.set_value(std::this_thread::get_id()); });
    EXPECT_EQ(same.get_future().get(), id);
  }
  EXPECT_EQ(threads.size(), 3u);
}

TEST(reactor_pool, knows_the_reactor_of_the_calling_thread) {
  reactor_pool pool{2};
  reactor_pool other{2};
  pool.start();
  other.start();
  for (size_t i = 0; i < pool.size(); ++i) {
    EXPECT_EQ(on(pool, i, [&] { return pool.current(); }), i);
    EXPECT_EQ(on(pool, i, [&] { return other.current(); }), reactor_pool::npos);
  }
  EXPECT_EQ(pool.current(), reactor_pool::npos);
}

TEST(reactor_pool, runs_what_was_posted_before_start) {
  reactor_pool pool{2};
  std::promise<size_t> where;
  pool.post(1, [&] { where.set_value(pool.current()); });
  pool.start();
  EXPECT_EQ(where.get_future().get(), 1u);
}

TEST(reactor_pool, wakes_an_idle_reactor_from_a_foreign_thread) {
  reactor_pool pool{1};
  pool.start();
  // Each round trip finds the reactor waiting for work again.
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(on(pool, 0, [i] { return i; }), i);
}

TEST(reactor_pool, keeps_the_order_of_one_poster) {
  reactor_pool pool{1};
  pool.start();
  std::vector<int> seen;
  for (int i = 0; i < 1000; ++i)
    pool.post(0, [&seen, i] { seen.push_back(i); });
  pool.stop();
  ASSERT_EQ(seen.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(reactor_pool, loses_nothing_of_many_posters) {
  reactor_pool pool{2};
  pool.start();
  std::atomic<int> count = 0;
  std::vector<std::thread> posters;
  for (int t = 0; t < 4; ++t)
    posters.emplace_back([&] {
      for (size_t i = 0; i < 5000; ++i)
        pool.post(i % 2, [&] { ++count; });
    });
  for (auto& x : posters)
    x.join();
  pool.stop();
  EXPECT_EQ(count, 20'000);
}

TEST(reactor_pool, finishes_its_work_before_it_stops) {
  reactor_pool pool{2};
  pool.start();
  int count = 0;
  std::promise<void> open;
  pool.post(0, [wait = open.get_future().share()] { wait.wait(); });
  for (int i = 0; i < 100; ++i)
    pool.post(0, [&] { ++count; });
  std::thread opener{[&] { open.set_value(); }};
  pool.stop();
  opener.join();
  EXPECT_EQ(count, 100);
}

TEST(reactor_pool, finishes_work_that_reactors_give_each_other_while_stopping) {
  for (int round = 0; round < 20; ++round) {
    reactor_pool pool{3};
    pool.start();
    int hops = 0;
    std::function<void()> hop = [&] {
      if (++hops < 1000)
        pool.post((pool.current() + 1) % pool.size(), hop);
    };
    pool.post(0, hop);
    pool.stop();
    EXPECT_EQ(hops, 1000);
  }
}

TEST(reactor_pool, stays_reachable_for_a_reactor_whose_work_another_ends) {
  // Reactor 1 has a pending operation that only reactor 0 ends, which has been
  // out of work before.
  reactor_pool pool{2};
  asio::steady_timer never{pool.context(1), std::chrono::hours{1}};
  asio::steady_timer soon{pool.context(1), std::chrono::milliseconds{5}};
  bool cancelled = false;
  never.async_wait([&](asio::error_code code) { cancelled = !!code; });
  soon.async_wait([&](asio::error_code) {
    pool.post(0, [&] { pool.post(1, [&] { never.cancel(); }); });
  });
  pool.start();
  pool.stop();
  EXPECT_TRUE(cancelled);
}

TEST(reactor_pool, waits_for_pending_timers) {
  reactor_pool pool{1};
  pool.start();
  bool fired = false;
  asio::steady_timer timer{pool.context(0), std::chrono::milliseconds{2}};
  timer.async_wait([&](asio::error_code code) { fired = !code; });
  pool.stop();
  EXPECT_TRUE(fired);
}

TEST(reactor_pool, starts_and_stops_idempotently_and_again) {
  reactor_pool pool{2};
  pool.stop();
  for (int i = 0; i < 100; ++i) {
    pool.start();
    pool.start();
    EXPECT_EQ(on(pool, 1, [&] { return pool.current(); }), 1u);
    pool.stop();
    pool.stop();
  }
}

TEST(reactor_pool, survives_exceptions_of_handlers) {
  reactor_pool pool{1};
  std::vector<std::string> errors;
  pool.on_error([&](std::string_view what) { errors.emplace_back(what); });
  pool.start();
  int after = 0;
  pool.post(0, [] { throw std::runtime_error{"broken"}; });
  pool.post(0, [&] { ++after; });
  pool.post(0, [] { throw 42; });
  pool.post(0, [&] { ++after; });
  // The first of these throws on a reactor that is stopping.
  pool.post(0, [&] {
    pool.post(0, [] { throw std::runtime_error{"late"}; });
    pool.post(0, [&] { ++after; });
  });
  pool.stop();
  EXPECT_EQ(after, 3);
  EXPECT_THAT(errors,
              testing::ElementsAre("broken", "not a std::exception", "late"));
}

TEST(reactor_pool, writes_exceptions_to_stderr_unless_told_otherwise) {
  testing::internal::CaptureStderr();
  {
    reactor_pool pool{1};
    pool.start();
    pool.post(0, [] { throw std::runtime_error{"broken"}; });
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "exception in a reactor: broken\n");
}

TEST(reactor_pool, names_its_threads) {
  reactor_pool pool{2};
  pool.start();
  for (size_t i = 0; i < pool.size(); ++i) {
    auto name = on(pool, i, [] {
      char buf[16] = {};
      pthread_getname_np(pthread_self(), buf, sizeof(buf));
      return std::string{buf};
    });
    EXPECT_EQ(name, "reactor-" + std::to_string(i));
  }
}

TEST(reactor_pool, leaves_the_signals_of_the_stop_to_the_main_thread) {
  auto blocks = [](int signal) {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return sigismember(&mask, signal) == 1;
  };
  auto term_before = blocks(SIGTERM);
  auto int_before = blocks(SIGINT);
  reactor_pool pool{2};
  pool.start();
  for (size_t i = 0; i < pool.size(); ++i) {
    EXPECT_TRUE(on(pool, i, [&] { return blocks(SIGTERM); }));
    EXPECT_TRUE(on(pool, i, [&] { return blocks(SIGINT); }));
    EXPECT_FALSE(on(pool, i, [&] { return blocks(SIGSEGV); }));
  }
  EXPECT_EQ(blocks(SIGTERM), term_before);
  EXPECT_EQ(blocks(SIGINT), int_before);
}
