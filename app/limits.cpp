#include "app/limits.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>

namespace turnout::app {

void raise_open_files() noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void forbid_core_dumps() noexcept {
  // A core_pattern that is a pipe disregards the limit but not the flag; the
  // flag is lost by exec, the limit is not.
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
#ifndef __SANITIZE_ADDRESS__
  // The leak check of the sanitizer attaches to its own process.
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

} // namespace turnout::app
