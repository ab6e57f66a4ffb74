#include "http/codec/query.hpp"

#include "core/utf8.hpp"
#include "http/percent.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>

namespace turnout {

namespace {

/// Bounds the answer of the analytics, which shows every day of the range.
constexpr day_number max_days = 36525;

constexpr auto max_click_range = std::chrono::days{90};

/// Keeps `page * per_page` within 32 bits.
constexpr int max_page = 20'000'000;

constexpr size_t max_search = 200;

caf::error bad_request(std::string text) {
  return make_error(ec::bad_request, std::move(text));
}

caf::expected<std::optional<date_or_time>> read_date(const query_params& query,
                                                     std::string_view name) {
  auto text = query.get(name);
  if (!text)
    return std::move(text.error());
  if (!*text)
    return std::optional<date_or_time>{};
  auto result = parse_date_or_time(**text);
  if (!result)
    return bad_request(
      std::string{name}
      + " must be an ISO 8601 date or date-time, such as 2026-11-27 or "
        "2026-11-27T21:58:57Z (send '+' as %2B)");
  return result;
}

/// Returns the number of characters; nullopt for what is no UTF-8.
std::optional<size_t> count_characters(std::string_view text) noexcept {
  size_t result = 0;
  for (; !text.empty(); ++result) {
    const auto size = first_char(text).size;
    if (size == 0)
      return std::nullopt;
    text.remove_prefix(size);
  }
  return result;
}

caf::error wrong_order(std::string_view from, std::string_view to) {
  return bad_request(std::string{from} + " must not be after "
                     + std::string{to});
}

} // namespace

caf::expected<std::optional<std::string>>
query_params::get(std::string_view name) const {
  std::optional<std::string> result;
  auto rest = x_raw;
  while (!rest.empty()) {
    const auto end = rest.find('&');
    const auto pair = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{}
                                         : rest.substr(end + 1);
    const auto equals = pair.find('=');
    const auto key = percent_decode(pair.substr(0, equals), true);
    if (!key || *key != name)
      continue;
    if (result)
      return make_error(ec::invalid,
                        std::string{name} + " must be given once only");
    result = percent_decode(equals == std::string_view::npos
                              ? std::string_view{}
                              : pair.substr(equals + 1),
                            true);
    if (!result)
      return bad_request(std::string{name} + " is not percent-encoded text");
  }
  return result;
}

caf::expected<int> read_integer(const query_params& query,
                                std::string_view name, int fallback, int min,
                                int max) {
  auto text = query.get(name);
  if (!text)
    return std::move(text.error());
  if (!*text)
    return fallback;
  const auto& digits = **text;
  const auto begin = digits.data();
  const auto end = begin + digits.size();
  int64_t value = 0;
  const auto [rest, err] = std::from_chars(begin, end, value);
  const auto is_number
    = err == std::errc{} || err == std::errc::result_out_of_range;
  if (rest != end || !is_number)
    return bad_request(std::string{name} + " must be an integer");
  if (err != std::errc{} || value < min || value > max)
    return make_error(ec::invalid, std::string{name} + " must be between "
                                     + std::to_string(min) + " and "
                                     + std::to_string(max));
  return static_cast<int>(value);
}

caf::expected<paging> read_paging(const query_params& query,
                                  int default_per_page) {
  auto page = read_integer(query, "page", 1, 1, max_page);
  if (!page)
    return std::move(page.error());
  auto per_page = read_integer(query, "per_page", default_per_page, 1, 100);
  if (!per_page)
    return std::move(per_page.error());
  return paging{*page, *per_page};
}

caf::expected<link_selection> read_link_selection(const query_params& query) {
  link_selection result;
  auto search = query.get("search");
  if (!search)
    return std::move(search.error());
  if (*search) {
    const auto n = count_characters(**search);
    if (!n)
      return bad_request("search must be valid UTF-8");
    if (*n > max_search)
      return make_error(ec::invalid, "search must be at most "
                                       + std::to_string(max_search)
                                       + " characters");
    result.search = std::move(**search);
  }
  auto sort = query.get("sort");
  if (!sort)
    return std::move(sort.error());
  if (*sort) {
    const auto known = parse_link_sort(**sort);
    if (!known)
      return bad_request("sort must be \"newest\", \"oldest\", \"name\", "
                         "\"clicks\", \"conversions\" or \"rate\"");
    result.sort = *known;
  }
  return result;
}

caf::expected<storage::click_range> read_click_range(const query_params& query,
                                                     timestamp now,
                                                     range_length length) {
  using std::chrono::days;
  const auto is_limited = length == range_length::at_most_90_days;
  auto start = read_date(query, "start_date");
  if (!start)
    return std::move(start.error());
  auto end = read_date(query, "end_date");
  if (!end)
    return std::move(end.error());
  storage::click_range result;
  const auto too_long = bad_request("The range must not be longer than 90 "
                                    "days");
  // The moment up to which the range reaches, for its length.
  auto until = now;
  if (*end) {
    const auto& x = **end;
    // Dates mean the whole day. A date-time is included itself: answers show
    // milliseconds, so all of its millisecond is.
    until = x.date_only ? x.at + days{1} : x.at;
    result.until = x.date_only ? until : x.at + std::chrono::milliseconds{1};
    if (!*start && is_limited)
      result.from = until - max_click_range;
  }
  if (*start) {
    result.from = (*start)->at;
    if (*end && *result.from >= *result.until)
      return wrong_order("start_date", "end_date");
    if (is_limited && until - *result.from > max_click_range)
      return too_long;
  }
  return result;
}

caf::expected<day_range> read_day_range(const query_params& query,
                                        timestamp now) {
  auto from = read_date(query, "from_date");
  if (!from)
    return std::move(from.error());
  auto to = read_date(query, "to_date");
  if (!to)
    return std::move(to.error());
  day_range result;
  if (*from)
    result.from = day_of((*from)->at);
  if (*to)
    result.to = day_of((*to)->at);
  if (*from && *to && (*from)->at > (*to)->at && result.from >= result.to)
    // Two date-times of one day may be in the wrong order, too; a date-time
    // after a date of the same day is not.
    if (result.from > result.to || (!(*from)->date_only && !(*to)->date_only))
      return wrong_order("from_date", "to_date");
  // An open end is at most today, or at least that.
  const auto today = day_of(now);
  const auto first = result.from.value_or(today);
  const auto last = result.to.value_or(today);
  if (last - first >= max_days)
    return bad_request("The range must not be longer than "
                       + std::to_string(max_days) + " days");
  return result;
}

} // namespace turnout
