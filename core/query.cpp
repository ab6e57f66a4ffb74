#include "core/query.hpp"

#include "core/hex.hpp"

#include <unordered_set>

namespace turnout {

namespace {

/// Returns the decoded name of a parameter "name=value".
std::string name_of(std::string_view parameter) {
  auto raw = parameter.substr(0, parameter.find('='));
  std::string result;
  result.reserve(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '+') {
      result += ' ';
    } else if (raw[i] == '%' && i + 2 < raw.size() && hex_value(raw[i + 1]) >= 0
               && hex_value(raw[i + 2]) >= 0) {
      result += static_cast<char>(hex_value(raw[i + 1]) * 16
                                  + hex_value(raw[i + 2]));
      i += 2;
    } else {
      result += raw[i];
    }
  }
  return result;
}

/// Calls `f` with each part between ampersands, empty ones included.
template <class F>
void for_each_part(std::string_view query, F f) {
  for (;;) {
    auto end = query.find('&');
    f(query.substr(0, end));
    if (end == std::string_view::npos)
      return;
    query.remove_prefix(end + 1);
  }
}

/// Appends `part` as it is, but encodes the bytes that would end the Location
/// header. A web server never lets them through, so this is a second lock.
void append_part(std::string& out, std::string_view part) {
  constexpr char hex[] = "0123456789ABCDEF";
  for (auto c : part) {
    auto byte = static_cast<uint8_t>(c);
    if (byte <= 0x20 || byte == 0x7f) {
      out += '%';
      out += hex[byte >> 4];
      out += hex[byte & 0xf];
    } else {
      out += c;
    }
  }
}

} // namespace

std::string merge_query(std::string_view destination,
                        std::string_view visit_query) {
  // A fragment is not part of a query.
  visit_query = visit_query.substr(0, visit_query.find('#'));
  if (visit_query.find_first_not_of('&') == std::string_view::npos)
    return std::string{destination};
  auto base = destination.substr(0, destination.find('#'));
  auto fragment = destination.substr(base.size());
  auto mark = base.find('?');
  auto has_query = mark != std::string_view::npos;
  std::unordered_set<std::string> owned;
  if (has_query)
    for_each_part(base.substr(mark + 1), [&](std::string_view part) {
      if (!part.empty())
        owned.insert(name_of(part));
    });
  std::string added;
  auto has_parameter = false;
  auto is_first = true;
  for_each_part(visit_query, [&](std::string_view part) {
    if (!part.empty()) {
      if (!owned.empty() && owned.contains(name_of(part)))
        return;
      has_parameter = true;
    }
    if (!is_first)
      added += '&';
    is_first = false;
    append_part(added, part);
  });
  if (!has_parameter)
    return std::string{destination};
  std::string result;
  result.reserve(destination.size() + added.size() + 1);
  result = base;
  if (!has_query)
    result += '?';
  else if (mark + 1 != base.size() && result.back() != '&')
    result += '&'; // a question mark further on is part of a value
  result += added;
  result += fragment;
  return result;
}

std::string add_parameter(std::string_view destination, std::string_view name,
                          std::string_view value) {
  std::string parameter;
  parameter.reserve(name.size() + value.size() + 1);
  parameter += name;
  parameter += '=';
  parameter += value;
  return merge_query(destination, parameter);
}

} // namespace turnout
