#pragma once

#include "http/request_head.hpp"

#include <http_parser.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace turnout::test {

/// Names and values of headers, in order.
using fields = std::vector<std::pair<std::string, std::string>>;

/// What a parser makes of a request.
struct reading {
  size_t size = 0;
  bool is_head = false;
  bool keep_alive = false;
  std::string target;
  fields headers;

  bool operator==(const reading&) const = default;
};

struct parser_state {
  reading result;
  bool was_value = true;
  bool complete = false;
};

inline parser_state& state_of(http_parser* x) {
  return *static_cast<parser_state*>(x->data);
}

/// Reads with the parser of the HTTP library; nullopt unless the text begins
/// with a whole request that needs no body and no upgrade.
inline std::optional<reading> parse(const std::string& text) {
  parser_state st;
  http_parser_settings settings;
  http_parser_settings_init(&settings);
  settings.on_url = [](http_parser* x, const char* at, size_t n) {
    state_of(x).result.target.append(at, n);
    return 0;
  };
  settings.on_header_field = [](http_parser* x, const char* at, size_t n) {
    auto& st = state_of(x);
    if (std::exchange(st.was_value, false))
      st.result.headers.emplace_back();
    st.result.headers.back().first.append(at, n);
    return 0;
  };
  settings.on_header_value = [](http_parser* x, const char* at, size_t n) {
    auto& st = state_of(x);
    st.was_value = true;
    st.result.headers.back().second.append(at, n);
    return 0;
  };
  settings.on_message_complete = [](http_parser* x) {
    http_parser_pause(x, 1);
    state_of(x).complete = true;
    return 0;
  };
  http_parser parser;
  http_parser_init(&parser, HTTP_REQUEST);
  parser.data = &st;
  st.result.size
    = http_parser_execute(&parser, &settings, text.data(), text.size());
  if (!st.complete || parser.upgrade != 0)
    return std::nullopt;
  st.result.is_head = parser.method == HTTP_HEAD;
  st.result.keep_alive = http_should_keep_alive(&parser) != 0;
  return st.result;
}

/// Reads with our own scanner.
inline std::optional<reading> scan(const std::string& text) {
  const auto head = scan_request_head(text);
  if (!head)
    return std::nullopt;
  reading result;
  result.size = head->size;
  result.is_head = head->is_head;
  // HTTP/1.1, and no word of closing.
  result.keep_alive = true;
  result.target = head->target;
  for_each_field(head->sized_fields(), [&](auto name, auto value) {
    result.headers.emplace_back(name, value);
  });
  return result;
}

} // namespace turnout::test
