#include "transfer/progress.hpp"

#include <unistd.h>

#include <algorithm>

namespace turnout::transfer {

namespace {

constexpr auto interval = std::chrono::milliseconds{100};

constexpr int bar_width = 30;

std::string minutes(int64_t seconds) {
  char buf[32];
  if (seconds < 3600)
    std::snprintf(buf, sizeof(buf), "%d:%02d", static_cast<int>(seconds / 60),
                  static_cast<int>(seconds % 60));
  else
    std::snprintf(buf, sizeof(buf), "%lld:%02d:%02d",
                  static_cast<long long>(seconds / 3600),
                  static_cast<int>(seconds / 60 % 60),
                  static_cast<int>(seconds % 60));
  return buf;
}

} // namespace

std::string render_progress(const progress_state& x) {
  std::string result;
  const auto share
    = x.all > 0 ? std::clamp(
        static_cast<double>(x.done) / static_cast<double>(x.all), 0.0, 1.0)
                : 0.0;
  if (x.all > 0) {
    const auto filled = static_cast<int>(share * bar_width);
    result += '[';
    for (int i = 0; i < bar_width; ++i)
      result += i < filled ? '=' : i == filled ? '>' : ' ';
    char buf[16];
    std::snprintf(buf, sizeof(buf), "] %3d%%  ", static_cast<int>(share * 100));
    result += buf;
  }
  result += std::to_string(x.rows) + " rows";
  const auto ms = x.elapsed.count();
  if (ms > 0)
    result += "  " + std::to_string(x.rows * 1000 / ms) + "/s";
  if (ms > 0 && share > 0 && share < 1)
    result += "  "
              + minutes(static_cast<int64_t>(static_cast<double>(ms)
                                             * (1 - share) / share / 1000))
              + " left";
  return result;
}

progress_bar::progress_bar(std::FILE* out, bool enabled)
  : x_out{out}, x_enabled{enabled && isatty(fileno(out)) != 0} {
  // nop
}

progress_bar::~progress_bar() {
  clear();
}

void progress_bar::update(int64_t done, int64_t all, int64_t rows) {
  if (!x_enabled)
    return;
  const auto now = clock::now();
  if (now - x_last < interval)
    return;
  x_last = now;
  x_drawn = true;
  const auto elapsed
    = std::chrono::duration_cast<std::chrono::milliseconds>(now - x_start);
  // To the start of the line, and the rest of the line away.
  std::fprintf(x_out, "\r%s\x1b[K",
               render_progress({done, all, rows, elapsed}).c_str());
  std::fflush(x_out);
}

void progress_bar::clear() {
  if (!x_drawn)
    return;
  x_drawn = false;
  std::fputs("\r\x1b[K", x_out);
  std::fflush(x_out);
}

} // namespace turnout::transfer
