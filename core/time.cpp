#include "core/time.hpp"

#include <cstdio>

namespace turnout {

namespace {

using namespace std::chrono;

/// Reads numbers of a fixed width and single characters from the front.
class reader {
public:
  explicit reader(std::string_view text) noexcept : x_text(text) {
    // nop
  }

  bool at_end() const noexcept {
    return x_text.empty();
  }

  bool skip(char c) noexcept {
    if (x_text.empty() || x_text.front() != c)
      return false;
    x_text.remove_prefix(1);
    return true;
  }

  /// Reads exactly `width` digits; false for anything else or out of range.
  bool number(size_t width, int min, int max, int& out) noexcept {
    if (x_text.size() < width)
      return false;
    out = 0;
    for (size_t i = 0; i < width; ++i) {
      auto c = x_text[i];
      if (c < '0' || c > '9')
        return false;
      out = out * 10 + (c - '0');
    }
    x_text.remove_prefix(width);
    return out >= min && out <= max;
  }

  /// Reads one digit or more as a fraction of a second, cut to microseconds.
  bool fraction(int64_t& micros) noexcept {
    micros = 0;
    int64_t unit = 100'000;
    size_t n = 0;
    for (; n < x_text.size() && x_text[n] >= '0' && x_text[n] <= '9'; ++n) {
      micros += (x_text[n] - '0') * unit;
      unit /= 10;
    }
    x_text.remove_prefix(n);
    return n > 0;
  }

private:
  std::string_view x_text;
};

/// Reads the zone at the end of a date-time into minutes east of UTC.
bool read_zone(reader& in, int& offset) noexcept {
  offset = 0;
  if (in.at_end() || in.skip('Z'))
    return in.at_end();
  int sign = 0;
  if (in.skip('+'))
    sign = 1;
  else if (in.skip('-'))
    sign = -1;
  else
    return false;
  int h = 0;
  int m = 0;
  if (!in.number(2, 0, 23, h) || !in.skip(':') || !in.number(2, 0, 59, m))
    return false;
  offset = sign * (h * 60 + m);
  return in.at_end();
}

} // namespace

std::string to_iso_date(day_number day) {
  year_month_day ymd{sys_days{days{day}}};
  char buf[32];
  std::snprintf(
    buf, sizeof(buf), "%04d-%02u-%02u", static_cast<int>(ymd.year()),
    static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()));
  return buf;
}

std::string to_iso8601(timestamp t) {
  auto day = day_of(t);
  auto ms = duration_cast<milliseconds>(t - start_of(day)).count();
  char buf[32];
  std::snprintf(
    buf, sizeof(buf), "T%02d:%02d:%02d.%03dZ", static_cast<int>(ms / 3'600'000),
    static_cast<int>(ms / 60'000 % 60), static_cast<int>(ms / 1'000 % 60),
    static_cast<int>(ms % 1'000));
  return to_iso_date(day) + buf;
}

std::string to_iso8601_micros(timestamp t) {
  auto result = to_iso8601(t);
  char buf[8];
  std::snprintf(buf, sizeof(buf), "%03dZ",
                static_cast<int>((t - start_of(day_of(t))).count() % 1'000));
  result.replace(result.size() - 1, 1, buf);
  return result;
}

std::optional<date_or_time> parse_date_or_time(std::string_view text) {
  reader in{text};
  int y = 0;
  int mon = 0;
  int d = 0;
  if (!in.number(4, 1970, 9999, y) || !in.skip('-') || !in.number(2, 1, 12, mon)
      || !in.skip('-') || !in.number(2, 1, 31, d))
    return std::nullopt;
  year_month_day ymd{year{y}, month{static_cast<unsigned>(mon)},
                     std::chrono::day{static_cast<unsigned>(d)}};
  if (!ymd.ok())
    return std::nullopt;
  timestamp at{sys_days{ymd}};
  if (in.at_end())
    return date_or_time{at, true};
  int h = 0;
  int min = 0;
  int s = 0;
  int64_t us = 0;
  if (!in.skip('T') || !in.number(2, 0, 23, h) || !in.skip(':')
      || !in.number(2, 0, 59, min))
    return std::nullopt;
  if (in.skip(':')) {
    if (!in.number(2, 0, 59, s))
      return std::nullopt;
    if (in.skip('.') && !in.fraction(us))
      return std::nullopt;
  }
  int offset = 0;
  if (!read_zone(in, offset))
    return std::nullopt;
  at += hours{h} + minutes{min - offset} + seconds{s} + microseconds{us};
  // The zone may have carried the moment out of the years above.
  if (at < timestamp{}
      || at >= timestamp{sys_days{year{9999} / 12 / 31}} + days{1})
    return std::nullopt;
  return date_or_time{at, false};
}

} // namespace turnout
