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
  return set;
}

} // namespace

stop_signals::stop_signals() {
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

void stop_signals::raise() noexcept {
  ::kill(::getpid(), SIGTERM);
}

} // namespace turnout::app
