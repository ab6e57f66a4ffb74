#include "transfer/progress.hpp"

#include <gmock/gmock.h>

#include <cstdio>

using namespace turnout::transfer;
using testing::HasSubstr;
using testing::Not;

TEST(progress, shows_bar_rows_rate_and_time_left) {
  using std::chrono::milliseconds;
  EXPECT_EQ(render_progress({500, 1000, 5200, milliseconds{2000}}),
            "[===============>              ]  50%  5200 rows  2600/s  0:02 "
            "left");
  EXPECT_THAT(render_progress({1, 10'000, 7, milliseconds{1000}}),
              HasSubstr("2:46:39 left"));
  EXPECT_EQ(render_progress({10, 10, 3, milliseconds{3000}}),
            "[==============================] 100%  3 rows  1/s");
  // More than there was: the file grew.
  EXPECT_THAT(render_progress({20, 10, 3, milliseconds{3000}}),
              HasSubstr("100%"));
}

TEST(progress, promises_nothing_it_does_not_know) {
  EXPECT_EQ(render_progress({500, 0, 20, std::chrono::milliseconds{2000}}),
            "20 rows  10/s");
  EXPECT_THAT(render_progress({0, 100, 0, {}}), Not(HasSubstr("left")));
}

TEST(progress, writes_nothing_but_to_a_terminal) {
  auto* out = std::tmpfile();
  {
    progress_bar bar{out, true};
    bar.update(1, 10, 1);
    bar.clear();
  }
  EXPECT_EQ(std::ftell(out), 0);
  std::fclose(out);
}
