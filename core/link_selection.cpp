#include "core/link_selection.hpp"

#include "core/ascii.hpp"

#include <algorithm>

namespace turnout {

namespace {

/// Takes a number from the front of a text and returns its digits without
/// leading zeros.
std::string_view take_number(std::string_view& text) noexcept {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  auto result = text.substr(0, static_cast<size_t>(end - text.begin()));
  text.remove_prefix(result.size());
  while (!result.empty() && result.front() == '0')
    result.remove_prefix(1);
  return result;
}

/// Returns whether the name `x` comes before `y`.
bool is_name_before(std::string_view x, std::string_view y) noexcept {
  while (!x.empty() && !y.empty()) {
    if (is_digit(x.front()) && is_digit(y.front())) {
      const auto a = take_number(x);
      const auto b = take_number(y);
      if (a.size() != b.size())
        return a.size() < b.size();
      if (a != b)
        return a < b;
      continue;
    }
    const auto a = static_cast<unsigned char>(to_lower(x.front()));
    const auto b = static_cast<unsigned char>(to_lower(y.front()));
    if (a != b)
      return a < b;
    x.remove_prefix(1);
    y.remove_prefix(1);
  }
  return x.size() < y.size();
}

double rate_of(const link_candidate& x) noexcept {
  return x.clicks == 0
           ? 0
           : static_cast<double>(x.conversions) / static_cast<double>(x.clicks);
}

/// Sorts by what `value` returns, the largest first.
template <class F>
void sort_down(std::vector<link_candidate>& links, F value) {
  std::stable_sort(
    links.begin(), links.end(),
    [&](const auto& x, const auto& y) { return value(x) > value(y); });
}

} // namespace

const char* to_string(link_sort x) noexcept {
  switch (x) {
    case link_sort::newest:
      return "newest";
    case link_sort::oldest:
      return "oldest";
    case link_sort::name:
      return "name";
    case link_sort::clicks:
      return "clicks";
    case link_sort::conversions:
      return "conversions";
    case link_sort::rate:
      return "rate";
  }
  return "";
}

std::optional<link_sort> parse_link_sort(std::string_view text) noexcept {
  for (auto x : {link_sort::newest, link_sort::oldest, link_sort::name,
                 link_sort::clicks, link_sort::conversions, link_sort::rate})
    if (text == to_string(x))
      return x;
  return std::nullopt;
}

bool matches(const link_selection& x, std::string_view name,
             std::string_view slug) noexcept {
  return contains_folded(name, x.search) || contains_folded(slug, x.search);
}

void arrange(std::vector<link_candidate>& links, link_sort sort) {
  switch (sort) {
    case link_sort::newest:
      return;
    case link_sort::oldest:
      std::reverse(links.begin(), links.end());
      return;
    case link_sort::name:
      std::stable_sort(links.begin(), links.end(),
                       [](const auto& x, const auto& y) {
                         return is_name_before(x.name, y.name);
                       });
      return;
    case link_sort::clicks:
      sort_down(links, [](const auto& x) { return x.clicks; });
      return;
    case link_sort::conversions:
      sort_down(links, [](const auto& x) { return x.conversions; });
      return;
    case link_sort::rate:
      sort_down(links, rate_of);
      return;
  }
}

} // namespace turnout
