#include "tests/storage/contract/fixture.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <thread>

namespace turnout::test {

namespace {

class concurrency_test : public store_test {
protected:
  /// Runs `f` in threads that start together, each with a connection.
  template <class F>
  void in_threads(int n, F f) {
    std::barrier start{n};
    std::vector<std::thread> threads;
    for (auto i = 0; i < n; ++i)
      threads.emplace_back([&, i] {
        auto mine = open();
        start.arrive_and_wait();
        f(*mine, i);
      });
    for (auto& x : threads)
      x.join();
  }
};

} // namespace

TURNOUT_CONTRACT_SUITE(concurrency_test);

TEST_P(concurrency_test, one_of_twenty_gets_the_slug) {
  std::atomic<int> made = 0;
  std::atomic<int> taken = 0;
  std::vector<link> links;
  for (auto i = 0; i < 20; ++i)
    links.emplace_back(new_link("race-1"));
  in_threads(20, [&](backend& mine, int i) {
    auto result = mine.create_link(links[i], std::nullopt);
    if (result)
      ++made;
    else if (code_of(result.error()) == ec::conflict
             && detail(result.error()) == "slug")
      ++taken;
  });
  EXPECT_EQ(made, 1);
  EXPECT_EQ(taken, 19);
}

TEST_P(concurrency_test, twenty_retries_make_one_link) {
  std::atomic<int> made = 0;
  std::atomic<int> replayed = 0;
  std::vector<link> links;
  for (auto i = 0; i < 20; ++i)
    links.emplace_back(new_link("retry-" + std::to_string(i)));
  in_threads(20, [&](backend& mine, int i) {
    auto result = mine.create_link(links[i], idempotency{"key", "hash", "x"});
    if (result)
      ++(result->replayed ? replayed : made);
  });
  EXPECT_EQ(made, 1);
  EXPECT_EQ(replayed, 19);
  auto listed = db->list_links(owner, 1, 100);
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->total, 1);
}

TEST_P(concurrency_test, the_same_links_at_once_wait_for_nobody_in_a_circle) {
  constexpr auto slugs = 50;
  std::atomic<int> made = 0;
  std::atomic<int> taken = 0;
  std::atomic<int> failed = 0;
  std::vector<std::vector<storage::new_link>> batches(4);
  for (size_t i = 0; i < batches.size(); ++i) {
    for (auto k = 0; k < slugs; ++k) {
      const auto name = std::to_string(k);
      auto x = new_link("same-" + name);
      // Keys sort otherwise than slugs, and are used by one only.
      auto once = idempotency{
        std::to_string(1000 - k) + "-" + std::to_string(i), "hash", "x"};
      batches[i].push_back({std::move(x), std::move(once)});
    }
    // In another order each.
    std::rotate(batches[i].begin(), batches[i].begin() + 13 * i,
                batches[i].end());
    if (i % 2 == 1)
      std::reverse(batches[i].begin(), batches[i].end());
  }
  in_threads(4, [&](backend& mine, int i) {
    for (const auto& x : mine.create_links(batches[i])) {
      if (x)
        ++made;
      else if (detail(x.error()) == "slug")
        ++taken;
      else
        ++failed;
    }
  });
  EXPECT_EQ(made, slugs);
  EXPECT_EQ(taken, 3 * slugs);
  EXPECT_EQ(failed, 0);
}

TEST_P(concurrency_test, one_of_the_saves_of_a_version_holds) {
  auto x = store_link("save-race");
  std::atomic<int> saved = 0;
  std::atomic<int> stale = 0;
  in_threads(8, [&](backend& mine, int i) {
    auto y = x;
    y.name = "name " + std::to_string(i);
    auto result = mine.save_link(y);
    if (result)
      ++saved;
    else if (code_of(result.error()) == ec::stale)
      ++stale;
  });
  EXPECT_EQ(saved, 1);
  EXPECT_EQ(stale, 7);
}

TEST_P(concurrency_test, writers_and_readers_see_sums_that_agree) {
  auto x = store_link("busy-1");
  std::atomic<int> failures = 0;
  std::atomic<int> writing = 3;
  in_threads(6, [&](backend& mine, int i) {
    if (i < 3) {
      batch_builder builder{make_uuid(now()), i};
      for (auto batch = 0; batch < 20; ++batch) {
        for (auto n = 0; n < 10; ++n)
          builder.add(new_click(x, n % 2, moment(n, batch, i), n));
        if (!mine.store_events(builder.take()))
          ++failures;
      }
      --writing;
      return;
    }
    int64_t least = 0;
    while (writing > 0) {
      auto report = mine.analytics(owner, x.id, {}, {}, first_day());
      auto list = mine.clicks(owner, x.id, {}, 1, 5);
      if (!report || !list) {
        ++failures;
        return;
      }
      int64_t by_day = 0;
      int64_t by_variant = 0;
      for (const auto& day : report->days)
        by_day += day.clicks;
      for (const auto& v : report->variants)
        by_variant += v.clicks;
      // Totals never shrink from one answer to the next.
      if (by_day != by_variant || by_day < least || list->total < by_day)
        ++failures;
      least = list->total;
    }
  });
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(summary(x).total_clicks, 600);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(concurrency_test, the_same_batch_from_two_senders_counts_once) {
  auto x = store_link("senders-1");
  for (auto i = 0; i < 50; ++i)
    events.add(new_click(x, 0, moment(1, i), i));
  auto batch = events.take();
  std::atomic<int64_t> stored = 0;
  in_threads(4, [&](backend& mine, int) {
    auto result = mine.store_events(batch);
    if (result)
      stored += result->clicks;
  });
  EXPECT_EQ(stored, 50);
  EXPECT_EQ(summary(x).total_clicks, 50);
}

TEST_P(concurrency_test, threads_migrate_an_empty_store_at_once) {
  temporary_directory fresh;
  backend_settings place{fresh.path().string(), {}};
  auto empty = make_raw_store(GetParam(), place);
  auto loaded = load_plugin(GetParam(), {TEST_PLUGIN_DIR}, place);
  ASSERT_TRUE(loaded);
  std::atomic<int> migrated = 0;
  std::barrier start{8};
  std::vector<std::thread> threads;
  for (auto i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      auto mine = (*loaded)();
      start.arrive_and_wait();
      ASSERT_TRUE(mine);
      auto err = (*mine)->migrate();
      EXPECT_FALSE(err) << detail(err);
      if (!err)
        ++migrated;
    });
  for (auto& x : threads)
    x.join();
  EXPECT_EQ(migrated, 8);
}

TEST_P(concurrency_test, processes_migrate_an_empty_store_at_once) {
  temporary_directory fresh;
  backend_settings place{fresh.path().string(), {}};
  auto empty = make_raw_store(GetParam(), place);
  std::vector<pid_t> children;
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  for (auto i = 0; i < 4; ++i) {
    auto child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(gate[1]);
      char ignored;
      // Returns when the parent closes its end, for all at once.
      auto n = read(gate[0], &ignored, 1);
      auto loaded = load_plugin(GetParam(), {TEST_PLUGIN_DIR}, place);
      if (n != 0 || !loaded)
        _exit(2);
      auto mine = (*loaded)();
      _exit(mine && !(*mine)->migrate() ? 0 : 1);
    }
    children.emplace_back(child);
  }
  close(gate[0]);
  close(gate[1]);
  for (auto child : children) {
    auto status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

} // namespace turnout::test
