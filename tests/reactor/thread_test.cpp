#include "reactor/thread.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// It has a struct of the C library once more.
#define sched_param sched_param_of_linux
#include <linux/sched/types.h>
#undef sched_param

namespace turnout {

namespace {

sched_attr attributes() {
  sched_attr result{};
  ::syscall(SYS_sched_getattr, 0, &result, sizeof(result), 0);
  return result;
}

} // namespace

TEST(thread, short_slices_leave_its_share_as_it_is) {
  sched_attr before{};
  sched_attr after{};
  start_thread("nice", [&] {
    ::setpriority(PRIO_PROCESS, 0, 7);
    before = attributes();
    prefer_short_slices();
    after = attributes();
  }).join();
  EXPECT_EQ(before.sched_nice, 7);
  EXPECT_EQ(after.sched_nice, 7);
  EXPECT_EQ(after.sched_policy, before.sched_policy);
  // Linux before 6.12 has no slices of threads, and says 0.
  if (before.sched_runtime != 0) {
    EXPECT_LT(after.sched_runtime, before.sched_runtime);
  }
}

} // namespace turnout
