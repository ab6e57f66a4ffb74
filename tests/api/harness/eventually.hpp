#pragma once

#include <chrono>
#include <thread>

namespace turnout::test {

/// How long a test waits for something that comes by itself. Generous, as it
/// only matters when the test fails.
inline constexpr std::chrono::seconds patience{30};

/// Calls `f` until it returns true; false when it did not within `bound`.
template <class F>
bool eventually(F f, std::chrono::milliseconds bound = patience) {
  auto end = std::chrono::steady_clock::now() + bound;
  while (!f()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
  return true;
}

/// Calls `f` until it returns `expected`, or `bound` is over; returns the last
/// value, for EXPECT_EQ.
template <class T, class F>
T eventually_equal(const T& expected, F f,
                   std::chrono::milliseconds bound = patience) {
  auto last = f();
  eventually(
    [&] {
      if (last == expected)
        return true;
      last = f();
      return last == expected;
    },
    bound);
  return last;
}

} // namespace turnout::test
