#include "journal/copy.hpp"

#include "tests/journal/journal_fixture.hpp"

#include <atomic>
#include <set>
#include <thread>

namespace turnout::journal::test {

namespace {

class copying : public journal_fixture {
protected:
  copying() : to(dir.string() + " copy") {
    // nop
  }

  ~copying() override {
    std::error_code ignored;
    fs::remove_all(to, ignored);
  }

  /// Returns what a reader finds in the copy.
  std::vector<int64_t> copied() {
    const auto original = dir;
    dir = to;
    std::vector<int64_t> result;
    for (const auto& x : read_all())
      result.push_back(serial_of(x));
    dir = original;
    return result;
  }

  fs::path to;
};

} // namespace

TEST_F(copying, has_what_was_committed_and_not_trimmed_while_others_work) {
  limits small;
  small.events_per_segment = 40;
  auto out = open_writer(0, 0, small);
  auto in = open_reader();
  std::atomic<int64_t> committed = 0;
  std::atomic<int64_t> stored = 0;
  std::atomic<bool> done = false;
  std::thread others{[&] {
    for (int64_t i = 1; !done; ++i) {
      EXPECT_FALSE(commit_numbered(*out, i, i));
      committed = i;
      // The store has it first, then it leaves the journal.
      if (i % 10 == 0 && i > 100) {
        stored = i - 100;
        EXPECT_FALSE(in->trim(0, i - 100));
      }
    }
  }};
  for (int i = 0; i < 30; ++i) {
    const auto before = committed.load();
    const auto err = copy_segments(dir, to);
    ASSERT_FALSE(err) << detail(err);
    // A position is a serial here.
    const auto gone = stored.load();
    const auto serials = copied();
    std::set<int64_t> found{serials.begin(), serials.end()};
    EXPECT_EQ(found.size(), serials.size());
    for (auto x = gone + 1; x <= before; ++x)
      EXPECT_TRUE(found.contains(x)) << x << " of " << gone << ".." << before;
    fs::remove_all(to);
  }
  done = true;
  others.join();
  EXPECT_TRUE(reports.empty());
}

TEST_F(copying, keeps_files_for_their_owner) {
  auto out = open_writer();
  ASSERT_FALSE(commit_numbered(*out, 1, 10));
  ASSERT_FALSE(copy_segments(dir, to));
  EXPECT_EQ(contents(to / files().at(0).filename()), contents(files().at(0)));
  EXPECT_EQ(fs::status(to / files().at(0).filename()).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(copying, a_journal_that_is_not_there_is_an_empty_one) {
  ASSERT_FALSE(copy_segments(dir, to));
  EXPECT_TRUE(fs::is_directory(to));
  EXPECT_TRUE(copied().empty());
}

} // namespace turnout::journal::test
