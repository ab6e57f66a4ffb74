#include "app/signals.hpp"

#include <unistd.h>

#include <csignal>
#include <ctime>

namespace turnout::app {

namespace {

sigset_t stop_set() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

/// Whether we read from or write to a terminal; not any more when that is gone.
bool has_terminal() noexcept {
  return ::isatty(STDIN_FILENO) == 1 || ::isatty(STDOUT_FILENO) == 1
         || ::isatty(STDERR_FILENO) == 1;
}

} // namespace

stop_signals::stop_signals() : x_had_terminal{has_terminal()} {
  const auto set = stop_set();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

std::optional<int> stop_signals::wait(std::chrono::milliseconds time) const {
  const auto set = stop_set();
  timespec limit{};
  limit.tv_sec = static_cast<time_t>(time.count() / 1000);
  limit.tv_nsec = static_cast<long>(time.count() % 1000) * 1'000'000;
  const auto number = sigtimedwait(&set, nullptr, &limit);
  if (number < 0)
    return std::nullopt;
  return number;
}

bool stop_signals::asks_for_reload(int number) const noexcept {
  return number == SIGHUP && (!x_had_terminal || has_terminal());
}

void stop_signals::raise() noexcept {
  ::kill(::getpid(), SIGTERM);
}

} // namespace turnout::app
