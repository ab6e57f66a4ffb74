#include "plugins/sqlite/recent_clicks.hpp"

#include "plugins/sqlite/sql.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace turnout::sqlite {

using plugins::new_click;

namespace {

/// Characters from which on a text is settled: some thirty clicks, whose
/// numbers then share rows, and little to read for a report.
constexpr int64_t max_length = 3000;

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
  : x_db(db), x_add(db, sql::add_recent_clicks) {
  // nop
}

recent_clicks::visitor_counts
recent_clicks::add(const std::vector<const new_click*>& clicks,
                   const visitor_counts& uniques) {
  visitor_counts left;
  auto visitors = uniques.begin();
  for (auto first = clicks.begin(); first != clicks.end();) {
    const auto link_key = (*first)->event->link_key;
    const auto last = std::find_if(first, clicks.end(), [=](auto* x) {
      return x->event->link_key != link_key;
    });
    x_text.clear();
    render(first, last);
    for (; visitors != uniques.end() && visitors->first.first <= link_key;
         ++visitors) {
      const auto& [of, number] = *visitors;
      if (of.first != link_key) {
        left.insert(left.end(), *visitors);
        continue;
      }
      x_text += ",[";
      append_number(of.second, x_text);
      x_text += ',';
      append_number(number, x_text);
      x_text += ']';
    }
    append(link_key);
    first = last;
  }
  left.insert(visitors, uniques.end());
  return left;
}

void recent_clicks::render(click_iterator first, click_iterator last) {
  for (auto i = first; i != last; ++i) {
    const auto is_alike = [&](auto* x) { return are_alike(*x, **i); };
    if (std::any_of(first, i, is_alike))
      continue;
    x_text += ",[";
    append_number(day_of((*i)->event->created_at), x_text);
    x_text += ',';
    append_number((*i)->event->variant_key, x_text);
    x_text += ',';
    append_number(std::count_if(i, last, is_alike), x_text);
    for (const auto& value : (*i)->values) {
      x_text += ',';
      append_text(value, x_text);
    }
    x_text += ']';
  }
}

void recent_clicks::append(row_key link_key) {
  x_add.bind(link_key, x_text);
  int64_t length = 0;
  while (x_add.next())
    length = x_add.integer(0);
  if (length > max_length)
    settle(link_key);
}

void recent_clicks::settle(row_key link_key) {
  statement get{x_db, sql::get_recent_clicks};
  get.bind(link_key);
  while (get.next()) {
    for (const auto& x : parse(get.text(0))) {
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
  statement remove{x_db, sql::remove_recent_clicks};
  remove.bind(link_key);
  remove.run();
}

} // namespace turnout::sqlite
