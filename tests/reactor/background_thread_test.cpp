#include "reactor/background_thread.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <stdexcept>

namespace turnout {

namespace {

int priority() {
  return ::getpriority(PRIO_PROCESS, 0);
}

} // namespace

TEST(background_thread, works_with_low_priority_for_one_who_waits) {
  const auto before = priority();
  background_thread uut{"background", 7};
  for (int i = 1; i <= 3; ++i) {
    int done = 0;
    int with = 0;
    uut.run([&] {
      done = i;
      with = priority();
    });
    EXPECT_EQ(done, i);
    EXPECT_EQ(with, std::min(19, before + 7));
  }
  EXPECT_EQ(priority(), before);
}

TEST(background_thread, hands_over_what_is_thrown) {
  background_thread uut{"background", 7};
  EXPECT_THROW(uut.run([] { throw std::runtime_error{"no"}; }),
               std::runtime_error);
  auto done = false;
  uut.run([&] { done = true; });
  EXPECT_TRUE(done);
}

TEST(background_thread, ends_without_work) {
  background_thread uut{"background", 7};
}

} // namespace turnout
