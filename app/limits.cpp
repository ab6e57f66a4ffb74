#include "app/limits.hpp"

#include <malloc.h>
#include <sys/resource.h>

namespace turnout::app {

void raise_open_files() noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void return_free_memory() noexcept {
  mallopt(M_MMAP_THRESHOLD, 512 * 1024);
  mallopt(M_TRIM_THRESHOLD, 2 * 1024 * 1024);
}

} // namespace turnout::app
