#include "reactor/thread.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

// It has a struct of the C library once more.
#define sched_param sched_param_of_linux
#include <linux/sched/types.h>
#undef sched_param

namespace turnout {

namespace {

/// Changes how the kernel schedules the calling thread. A kernel that does not
/// like it goes on as before.
template <class F>
void change_scheduling(F change) noexcept {
  sched_attr attributes{};
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) != 0)
    return;
  change(attributes);
  ::syscall(SYS_sched_setattr, 0, &attributes, 0);
}

} // namespace

std::thread start_thread(const std::string& name, std::function<void()> body) {
  // The new thread inherits the mask, so that there is no moment in which it
  // could take a signal.
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigaddset(&blocked, SIGINT);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  std::thread result;
  try {
    result = std::thread{[name = name.substr(0, 15), f = std::move(body)] {
      pthread_setname_np(pthread_self(), name.c_str());
      f();
    }};
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return result;
}

void prefer_short_slices() noexcept {
  // For threads of the usual policy this is the slice in nanoseconds; the
  // shortest that there is.
  change_scheduling([](sched_attr& x) { x.sched_runtime = 100'000; });
}

void be_nicer(int by) noexcept {
  change_scheduling(
    [by](sched_attr& x) { x.sched_nice = std::min(19, x.sched_nice + by); });
}

} // namespace turnout
