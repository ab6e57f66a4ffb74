#include "plugins/sqlite/recent_clicks.hpp"

#include "plugins/sqlite/many_rows.hpp"
#include "plugins/sqlite/sql.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <string>
#include <utility>

namespace turnout::sqlite {

using plugins::new_click;

namespace {

/// Bytes that a text may have: some thirty clicks, whose numbers then share
/// rows, little to read for a report, and no more than a page of the file.
constexpr size_t max_length = 3000;

/// Places in the array of a click.
enum place : size_t { day, variant, count, first_value };

void append_number(int64_t x, std::string& to) {
  std::array<char, 20> digits;
  const auto end
    = std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr;
  to.append(digits.data(), end);
}

void append_text(std::string_view x, std::string& to) {
  boost::json::serializer serializer;
  serializer.reset(x);
  std::array<char, 256> buffer;
  while (!serializer.done())
    to += serializer.read(buffer.data(), buffer.size());
}

bool are_alike(const new_click& x, const new_click& y) {
  return x.event->variant_key == y.event->variant_key
         && day_of(x.event->created_at) == day_of(y.event->created_at)
         && x.values == y.values;
}

using click_iterator = std::vector<const new_click*>::const_iterator;

/// Appends clicks of one link.
void append_clicks(click_iterator first, click_iterator last, std::string& to) {
  for (auto i = first; i != last; ++i) {
    const auto is_alike = [&](auto* x) { return are_alike(*x, **i); };
    if (std::any_of(first, i, is_alike))
      continue;
    to += ",[";
    append_number(day_of((*i)->event->created_at), to);
    to += ',';
    append_number((*i)->event->variant_key, to);
    to += ',';
    append_number(std::count_if(i, last, is_alike), to);
    for (const auto& value : (*i)->values) {
      to += ',';
      append_text(value, to);
    }
    to += ']';
  }
}

void append_visitors(day_number day, int64_t number, std::string& to) {
  to += ",[";
  append_number(day, to);
  to += ',';
  append_number(number, to);
  to += ']';
}

boost::json::array parse(std::string_view classes) {
  std::string text{classes};
  text.front() = '[';
  text += ']';
  boost::json::parse_options options;
  // What browsers say need not be text.
  options.allow_invalid_utf8 = true;
  return boost::json::parse(text, {}, options).as_array();
}

} // namespace

recent_clicks::recent_clicks(sqlite_api::sqlite3* db)
  : x_db(db),
    x_get(db, sql::get_recent_clicks),
    x_remove(db, sql::remove_recent_clicks) {
  // nop
}

recent_clicks::visitor_counts
recent_clicks::add(const std::vector<const new_click*>& clicks,
                   const visitor_counts& uniques) {
  visitor_counts left;
  many_rows<row_key, std::string_view> append{x_db, sql::append_recent_clicks};
  std::deque<std::string> texts;
  auto visitors = uniques.begin();
  for (auto first = clicks.begin(); first != clicks.end();) {
    const auto link_key = (*first)->event->link_key;
    const auto last = std::find_if(first, clicks.end(), [=](auto* x) {
      return x->event->link_key != link_key;
    });
    auto& text = texts.emplace_back();
    append_clicks(first, last, text);
    for (; visitors != uniques.end() && visitors->first.first <= link_key;
         ++visitors) {
      if (visitors->first.first == link_key)
        append_visitors(visitors->first.second, visitors->second, text);
      else
        left.insert(left.end(), *visitors);
    }
    if (length(link_key) + text.size() > max_length) {
      settle(link_key);
      settle(link_key, text);
    } else {
      append(link_key, text);
    }
    first = last;
  }
  append.finish();
  left.insert(visitors, uniques.end());
  return left;
}

size_t recent_clicks::length(row_key link_key) {
  size_t result = 0;
  x_get.bind(link_key);
  while (x_get.next())
    result = x_get.text(0).size();
  return result;
}

void recent_clicks::settle(row_key link_key) {
  x_get.bind(link_key);
  while (x_get.next())
    settle(link_key, x_get.text(0));
  x_remove.bind(link_key);
  x_remove.run();
}

void recent_clicks::settle(row_key link_key, std::string_view classes) {
  for (const auto& x : parse(classes)) {
    const auto& items = x.as_array();
    const auto number = [&](size_t i) { return items.at(i).as_int64(); };
    const auto on = static_cast<day_number>(number(place::day));
    if (items.size() == 2)
      x_settled_uniques[{link_key, on}] += number(1);
    else
      x_settled.add_days(link_key, on, number(place::variant),
                         number(place::count), [&](size_t i) {
                           return std::string_view{
                             items.at(place::first_value + i).as_string()};
                         });
  }
}

} // namespace turnout::sqlite
