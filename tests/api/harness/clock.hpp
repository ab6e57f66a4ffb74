#pragma once

#include "tests/api/harness/process.hpp"

#include <chrono>
#include <string>
#include <thread>

namespace turnout::test {

/// Returns the environment of a process whose wall clock is so many days ahead
/// of ours (behind when negative).
inline environment clock_ahead(int days) {
  return {{"LD_PRELOAD", CLOCK_SHIFT},
          {"CLOCK_SHIFT_SECONDS", std::to_string(days * 86'400)},
          // The runtime of the sanitizer wants to come first.
          {"ASAN_OPTIONS", "verify_asan_link_order=0"}};
}

/// Near the end of an hour it waits for the next one, so that a test sees one
/// window of the rate limit only.
inline void avoid_end_of_hour() {
  using namespace std::chrono;
  auto left = hours{1} - system_clock::now().time_since_epoch() % hours{1};
  if (left < seconds{60})
    std::this_thread::sleep_for(left + seconds{1});
}

} // namespace turnout::test
