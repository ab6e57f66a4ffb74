#include "journal/directory_lock.hpp"
#include "tests/journal/journal_fixture.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

namespace turnout::journal::test {

namespace {

class processes : public journal_fixture {};

/// A child process and a pipe from it.
struct child {
  pid_t pid = -1;
  int from = -1;

  // Runs `f(fd)`, which writes to fd, in a child.
  template <class F>
  explicit child(F f) {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0)
      throw std::runtime_error{"pipe"};
    pid = ::fork();
    if (pid == 0) {
      ::close(fds[0]);
      try {
        f(fds[1]);
      } catch (...) {
        ::_exit(99);
      }
      ::_exit(0);
    }
    ::close(fds[1]);
    from = fds[0];
  }

  ~child() {
    ::close(from);
    if (pid > 0) {
      ::kill(pid, SIGKILL);
      wait();
    }
  }

  bool receive(int64_t& x) const {
    return ::read(from, &x, sizeof(x)) == sizeof(x);
  }

  int wait() {
    int status = 0;
    ::waitpid(pid, &status, 0);
    pid = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

void send(int fd, int64_t x) {
  if (::write(fd, &x, sizeof(x)) != sizeof(x))
    ::_exit(98);
}

} // namespace

TEST_F(processes, reader_follows_a_writer_of_another_thread) {
  constexpr int64_t count = 200'000;
  limits bounds;
  bounds.events_per_segment = 20'000;
  std::atomic<int64_t> committed = 0;
  std::atomic<bool> failed = false;
  std::thread thread{[&] {
    auto out = open_writer(0, 0, bounds);
    std::minstd_rand random{1};
    for (int64_t i = 1; i <= count;) {
      auto last = std::min<int64_t>(count, i + random() % 300);
      if (commit_numbered(*out, i, last)) {
        failed = true;
        return;
      }
      committed = out->last_position();
      i = last + 1;
    }
  }};
  auto in = open_reader();
  int64_t position = 0;
  auto ok = true;
  while (ok && position < count && !failed) {
    auto known = committed.load();
    auto xs = in->read(0, position, 5'000);
    ok = xs && !in->trim(0, position);
    if (!ok)
      break;
    for (auto& x : *xs)
      ok = ok && x.position == ++position && serial_of(x) == position;
    // What was committed before the call was seen by it.
    ok = ok && (position >= known || xs->size() == 5'000);
  }
  thread.join();
  EXPECT_FALSE(failed);
  EXPECT_TRUE(ok) << "at position " << position;
  EXPECT_EQ(position, count);
  EXPECT_LE(files().size(), 2u);
}

TEST_F(processes, what_was_committed_survives_a_kill) {
  limits bounds;
  bounds.events_per_segment = 100;
  std::minstd_rand random{std::random_device{}()};
  int64_t last_serial = 0;
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    auto seed = random();
    child writing{[&](int fd) {
      std::minstd_rand draw{seed};
      auto out = open_writer(0, 0, bounds);
      send(fd, 0);
      for (auto i = last_serial + 1;;) {
        auto last = i + static_cast<int64_t>(draw() % 40);
        if (commit_numbered(*out, i, last))
          ::_exit(97);
        send(fd, last);
        i = last + 1;
      }
    }};
    int64_t reported = 0;
    ASSERT_TRUE(writing.receive(reported));
    for (auto n = random() % 60; n > 0; --n)
      ASSERT_TRUE(writing.receive(reported));
    std::this_thread::sleep_for(std::chrono::microseconds{random() % 500});
    ::kill(writing.pid, SIGKILL);
    while (writing.receive(reported)) {
      // Everything that was reported before the kill.
    }
    ASSERT_EQ(writing.wait(), -1);
    auto entries = read_all();
    auto found = entries.empty() ? 0 : serial_of(entries.back());
    // A last commit may have been killed before its report.
    ASSERT_GE(found, std::max(reported, last_serial));
    ASSERT_TRUE(are_numbered(entries, 1, found));
    last_serial = found;
  }
  EXPECT_GT(last_serial, 0);
  EXPECT_TRUE(files(".corrupt").empty());
  EXPECT_TRUE(reports.empty());
}

TEST_F(processes, reader_of_another_process) {
  auto out = open_writer();
  ASSERT_FALSE(commit_numbered(*out, 1, 100));
  out.reset();
  child reading{[&](int fd) {
    auto entries = read_all();
    send(fd, static_cast<int64_t>(entries.size()));
  }};
  int64_t n = 0;
  ASSERT_TRUE(reading.receive(n));
  EXPECT_EQ(n, 100);
}

TEST_F(processes, full_disk_is_an_error_until_space_comes_back) {
  constexpr int64_t bound = 200 << 10;
  child writing{[&](int fd) {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit old{};
    ::getrlimit(RLIMIT_FSIZE, &old);
    auto out = open_writer();
    rlimit tight{static_cast<rlim_t>(bound), old.rlim_max};
    if (::setrlimit(RLIMIT_FSIZE, &tight) != 0)
      ::_exit(95);
    int64_t written = 0;
    caf::error err;
    while (!err && written < 100'000) {
      err = commit_numbered(*out, written + 1, written + 20);
      if (!err)
        written += 20;
    }
    send(fd, written);
    auto at = out->last_position();
    auto text = detail(err);
    send(fd, code_of(err) == ec::journal
               && text.find("no space is left") != std::string::npos);
    // It stays an error, the events are forgotten, nothing is half there.
    send(fd, commit_numbered(*out, 900'001, 900'020) ? 1 : 0);
    send(fd, out->pending() == 0 && out->last_position() == at);
    ::setrlimit(RLIMIT_FSIZE, &old);
    send(fd, commit_numbered(*out, written + 1, written + 20) ? 0 : 1);
    send(fd, are_numbered(read_all(), 1, written + 20) ? 1 : 0);
  }};
  int64_t written = 0;
  ASSERT_TRUE(writing.receive(written));
  EXPECT_GT(written, 0);
  EXPECT_LT(written, 100'000);
  for (auto what : {"says so", "stays an error", "forgets the turn", "recovers",
                    "has everything"}) {
    int64_t yes = 0;
    ASSERT_TRUE(writing.receive(yes)) << what;
    EXPECT_EQ(yes, 1) << what;
  }
  EXPECT_EQ(writing.wait(), 0);
  EXPECT_TRUE(are_numbered(read_all(), 1, written + 20));
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(processes, full_disk_at_the_start_does_not_stop_it) {
  child writing{[&](int fd) {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit old{};
    ::getrlimit(RLIMIT_FSIZE, &old);
    rlimit tight{32, old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &tight);
    auto out = open_writer();
    send(fd, commit_numbered(*out, 900'001, 900'001) ? 1 : 0);
    send(fd, reports.size() == 1 ? 1 : 0);
    ::setrlimit(RLIMIT_FSIZE, &old);
    send(fd, commit_numbered(*out, 1, 2) ? 0 : 1);
  }};
  for (auto what : {"fails", "tells", "recovers"}) {
    int64_t yes = 0;
    ASSERT_TRUE(writing.receive(yes)) << what;
    EXPECT_EQ(yes, 1) << what;
  }
  EXPECT_EQ(writing.wait(), 0);
  EXPECT_TRUE(are_numbered(read_all(), 1, 2));
}

TEST_F(processes, bound_is_an_error_until_events_are_stored) {
  limits bounds;
  bounds.max_bytes = 1 << 20;
  auto out = open_writer(0, 0, bounds);
  int64_t written = 0;
  caf::error err;
  while (!err && written < 100'000) {
    err = commit_numbered(*out, written + 1, written + 20);
    if (!err)
      written += 20;
  }
  ASSERT_TRUE(err);
  EXPECT_EQ(code_of(err), ec::journal);
  auto text = detail(err);
  for (auto part : {"journal 0 is full", "1048576", "bring the store back"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_EQ(out->pending(), 0u);
  EXPECT_EQ(out->last_position(), written);
  EXPECT_TRUE(commit_numbered(*out, 900'001, 900'001));
  EXPECT_TRUE(are_numbered(read_all(), 1, written));
  auto in = open_reader();
  EXPECT_GE(in->bytes(), 1 << 20);
  EXPECT_LT(in->bytes(), 2 << 20);
  ASSERT_FALSE(in->trim(0, written));
  EXPECT_FALSE(commit_numbered(*out, written + 1, written + 5));
  EXPECT_TRUE(are_numbered(read_all(0, written), written + 1, written + 5));
}

TEST_F(processes, bound_holds_for_what_a_former_run_left) {
  limits bounds;
  bounds.max_bytes = 256 << 10;
  {
    auto out = open_writer(0, 0, {});
    ASSERT_FALSE(commit_numbered(*out, 1, 5'000));
  }
  auto out = open_writer(0, 0, bounds);
  EXPECT_TRUE(commit_numbered(*out, 900'001, 900'001));
  ASSERT_FALSE(open_reader()->trim(0, 5'000));
  EXPECT_FALSE(commit_numbered(*out, 5'001, 5'001));
}

TEST_F(processes, one_turn_larger_than_the_bound_does_not_stop_it_for_good) {
  limits bounds;
  bounds.max_bytes = 256 << 10;
  auto out = open_writer(0, 0, bounds);
  ASSERT_FALSE(commit_numbered(*out, 1, 10'000));
  EXPECT_TRUE(commit_numbered(*out, 900'001, 900'001));
  ASSERT_FALSE(open_reader()->trim(0, 10'000));
  EXPECT_FALSE(commit_numbered(*out, 10'001, 10'001));
}

TEST_F(processes, two_servers_cannot_have_one_directory) {
  auto first = directory_lock::acquire(dir);
  ASSERT_TRUE(first);
  auto second = directory_lock::acquire(dir);
  ASSERT_FALSE(second);
  EXPECT_EQ(code_of(second.error()), ec::journal);
  auto text = detail(second.error());
  EXPECT_NE(text.find(dir.string()), std::string::npos) << text;
  EXPECT_NE(text.find("pid " + std::to_string(::getpid()) + ")"),
            std::string::npos)
    << text;
  EXPECT_NE(text.find("stop that one"), std::string::npos) << text;
  {
    directory_lock moved{std::move(*first)};
    EXPECT_FALSE(directory_lock::acquire(dir));
  }
  EXPECT_TRUE(directory_lock::acquire(dir));
}

TEST_F(processes, the_lock_of_a_killed_server_is_free) {
  child serving{[&](int fd) {
    auto lock = directory_lock::acquire(dir);
    send(fd, lock ? 1 : 0);
    ::pause();
  }};
  int64_t locked = 0;
  ASSERT_TRUE(serving.receive(locked));
  ASSERT_EQ(locked, 1);
  auto refused = directory_lock::acquire(dir);
  ASSERT_FALSE(refused);
  EXPECT_NE(
    detail(refused.error()).find("pid " + std::to_string(serving.pid) + ")"),
    std::string::npos);
  ::kill(serving.pid, SIGKILL);
  serving.wait();
  EXPECT_TRUE(directory_lock::acquire(dir));
}

} // namespace turnout::journal::test
