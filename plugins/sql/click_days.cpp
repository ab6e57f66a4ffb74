#include "plugins/sql/click_days.hpp"

namespace turnout::plugins {

click_days cut_into_days(timestamp from, timestamp until) {
  click_days result;
  result.last = -1;
  if (from >= until)
    return result;
  auto first = day_of(from);
  auto last = day_of(until - timestamp::duration{1});
  if (first == last) {
    if (from == start_of(first) && until == start_of(first + 1)) {
      result.first = result.last = first;
      return result;
    }
    result.first = first + 1;
    result.last = first;
    result.parts.push_back({first, from, until});
    return result;
  }
  result.first = first;
  result.last = last;
  if (from != start_of(first)) {
    result.parts.push_back({first, from, start_of(first + 1)});
    ++result.first;
  }
  if (until != start_of(last + 1)) {
    result.parts.push_back({last, start_of(last), until});
    --result.last;
  }
  return result;
}

std::optional<page_start> find_page(const std::vector<day_clicks>& days,
                                    int64_t offset) {
  for (const auto& x : days) {
    if (offset < x.clicks)
      return page_start{x.day, offset};
    offset -= x.clicks;
  }
  return std::nullopt;
}

std::optional<day_number> find_end(const std::vector<day_clicks>& days,
                                   day_number from, int64_t clicks) {
  for (const auto& x : days) {
    if (x.day > from)
      continue;
    clicks -= x.clicks;
    if (clicks <= 0)
      return x.day;
  }
  return std::nullopt;
}

} // namespace turnout::plugins
