#include "actors/turn_journal.hpp"

#include "tests/actors/actors_fixture.hpp"

#include <atomic>

namespace turnout {

namespace {

/// A journal in memory that can be full.
class memory_writer final : public journal::writer {
public:
  void append(const journal::event&) override {
    ++x_pending;
  }

  size_t pending() const noexcept override {
    return x_pending;
  }

  caf::error commit() override {
    commits.push_back(std::exchange(x_pending, 0));
    return full ? make_error(ec::journal, "full") : caf::error{};
  }

  int64_t last_position() const noexcept override {
    return 0;
  }

  int64_t bytes() const noexcept override {
    return 0;
  }

  std::vector<size_t> commits;
  bool full = false;

private:
  size_t x_pending = 0;
};

struct turn_journal_test : test::actors_fixture {
  memory_writer* writer = new memory_writer;
  turn_journal out{reactors, 0, std::unique_ptr<journal::writer>{writer},
                   counters};
};

TEST_F(turn_journal_test, commits_once_for_all_events_of_a_turn) {
  std::vector<bool> told;
  on_reactor(0, [&] {
    for (int i = 0; i < 10; ++i)
      out.append(click{}, [&](bool committed) { told.push_back(committed); });
    EXPECT_TRUE(told.empty());
    EXPECT_TRUE(writer->commits.empty());
  });
  on_reactor(0, [] {});
  EXPECT_EQ(writer->commits, (std::vector<size_t>{10}));
  EXPECT_EQ(told, std::vector<bool>(10, true));
  EXPECT_EQ(counters.journal_events->Value(), 10);
  EXPECT_EQ(counters.journal_commits->Value(), 1);
}

TEST_F(turn_journal_test, event_appended_while_others_are_told_comes_next) {
  int told = 0;
  on_reactor(0, [&] {
    out.append(click{}, [&](bool) {
      ++told;
      out.append(click{}, [&](bool) { ++told; });
    });
  });
  on_reactor(0, [] {});
  on_reactor(0, [] {});
  EXPECT_EQ(told, 2);
  EXPECT_EQ(writer->commits, (std::vector<size_t>{1, 1}));
}

TEST_F(turn_journal_test, pauses_of_a_busy_reactor_lose_and_stop_nothing) {
  constexpr int all = 20'000;
  std::atomic<int> told = 0;
  std::function<void(bool)> next = [&](bool committed) {
    EXPECT_TRUE(committed);
    if (++told < all)
      out.append(click{}, next);
  };
  on_reactor(0, [&] { out.append(click{}, next); });
  eventually([&] { return told == all; });
  // What comes after the last pause has begun is told, too.
  on_reactor(0, [&] { out.append(click{}, [&](bool) { ++told; }); });
  eventually([&] { return told == all + 1; });
  EXPECT_EQ(writer->commits, std::vector<size_t>(all + 1, 1));
}

TEST_F(turn_journal_test, failure_is_told_and_counted_and_passes) {
  std::vector<bool> told;
  const auto append = [&] {
    on_reactor(0, [&] {
      out.append(click{}, [&](bool committed) { told.push_back(committed); });
    });
    on_reactor(0, [] {});
  };
  writer->full = true;
  append();
  writer->full = false;
  append();
  EXPECT_EQ(told, (std::vector<bool>{false, true}));
  EXPECT_EQ(counters.journal_failures->Value(), 1);
}

} // namespace

} // namespace turnout
