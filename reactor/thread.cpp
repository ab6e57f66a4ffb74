#include "reactor/thread.hpp"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace turnout {

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

} // namespace turnout
