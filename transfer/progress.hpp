#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace turnout::transfer {

/// How far something has come.
struct progress_state {
  /// Units done and units in all; 0 in all means unknown.
  int64_t done = 0;
  int64_t all = 0;
  int64_t rows = 0;
  std::chrono::milliseconds elapsed{0};
};

/// Renders a bar, rows, rows a second and the time left, such as
/// "[=====>    ]  52%  5200 rows  2600/s  0:02 left"; without a bar and the
/// time when it is unknown how much there is.
std::string render_progress(const progress_state& x);

/// A line at the foot of a terminal that is drawn again and again. Nothing is
/// written when the stream is no terminal.
class progress_bar {
public:
  explicit progress_bar(std::FILE* out, bool enabled);

  ~progress_bar();

  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  /// Draws at most ten times a second.
  void update(int64_t done, int64_t all, int64_t rows);

  /// Takes the line away, for another text or for good.
  void clear();

private:
  using clock = std::chrono::steady_clock;

  std::FILE* x_out;
  bool x_enabled;
  bool x_drawn = false;
  clock::time_point x_start = clock::now();
  clock::time_point x_last;
};

} // namespace turnout::transfer
