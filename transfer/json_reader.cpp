#include "transfer/json_reader.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value_stack.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace turnout::transfer {

namespace {

constexpr size_t max_depth = 32;

constexpr std::string_view white_space = " \t\r\n";

/// Puts items together from the events of the parser.
struct item_builder {
  static constexpr size_t max_object_size = max_record_bytes;
  static constexpr size_t max_array_size = static_cast<size_t>(-1);
  static constexpr size_t max_key_size = max_record_bytes;
  static constexpr size_t max_string_size = max_record_bytes;

  using error_code = json::error_code;
  using text = json::string_view;

  struct level {
    bool is_array = false;
    /// Whether its members are items.
    bool has_items = false;
  };

  std::vector<level> levels;
  std::string key;
  json::value_stack stack;
  /// Depth within the item under way; 0 outside.
  size_t depth = 0;
  /// Whether there was anything that could have items.
  bool saw_list = false;
  int64_t line = 1;
  int64_t item_line = 0;
  std::vector<json_item> items;

  bool collects() const noexcept {
    return depth > 0;
  }

  void push_level(bool is_array, bool has_items) {
    levels.push_back({is_array, has_items});
    saw_list |= has_items;
  }

  void begin_item() {
    item_line = line;
    stack.reset();
    depth = 1;
  }

  bool on_document_begin(error_code&) {
    return true;
  }

  bool on_document_end(error_code&) {
    return true;
  }

  bool on_object_begin(error_code&) {
    if (collects())
      ++depth;
    else if (!levels.empty() && levels.back().has_items)
      begin_item();
    else
      push_level(false, key == "links");
    key.clear();
    return true;
  }

  bool on_object_end(size_t n, error_code&) {
    if (!collects()) {
      levels.pop_back();
      return true;
    }
    stack.push_object(n);
    if (--depth == 0)
      items.push_back({item_line, std::move(stack.release().get_object())});
    return true;
  }

  bool on_array_begin(error_code&) {
    if (collects())
      ++depth;
    else
      push_level(true, true);
    key.clear();
    return true;
  }

  bool on_array_end(size_t n, error_code&) {
    if (collects()) {
      stack.push_array(n);
      --depth;
    } else {
      levels.pop_back();
    }
    return true;
  }

  bool on_key_part(text x, size_t, error_code&) {
    if (collects())
      stack.push_chars(x);
    else
      key.append(x.data(), x.size());
    return true;
  }

  bool on_key(text x, size_t, error_code&) {
    if (collects())
      stack.push_key(x);
    else
      key.append(x.data(), x.size());
    return true;
  }

  bool on_string_part(text x, size_t, error_code&) {
    if (collects())
      stack.push_chars(x);
    return true;
  }

  bool on_string(text x, size_t, error_code&) {
    if (collects())
      stack.push_string(x);
    key.clear();
    return true;
  }

  bool on_number_part(text, error_code&) {
    return true;
  }

  bool on_int64(int64_t x, text, error_code&) {
    if (collects())
      stack.push_int64(x);
    key.clear();
    return true;
  }

  bool on_uint64(uint64_t x, text, error_code&) {
    if (collects())
      stack.push_uint64(x);
    key.clear();
    return true;
  }

  bool on_double(double x, text, error_code&) {
    if (collects())
      stack.push_double(x);
    key.clear();
    return true;
  }

  bool on_bool(bool x, error_code&) {
    if (collects())
      stack.push_bool(x);
    key.clear();
    return true;
  }

  bool on_null(error_code&) {
    if (collects())
      stack.push_null();
    key.clear();
    return true;
  }

  bool on_comment_part(text, error_code&) {
    return true;
  }

  bool on_comment(text, error_code&) {
    return true;
  }
};

json::parse_options options() {
  json::parse_options result;
  result.max_depth = max_depth;
  return result;
}

} // namespace

struct json_reader::state {
  explicit state(item_sink x) : sink(std::move(x)), parser(options()) {
    // nop
  }

  item_sink sink;
  json::basic_parser<item_builder> parser;
  bool within = false;
  /// Bytes since the item under way began.
  size_t item_bytes = 0;

  item_builder& builder() {
    return parser.handler();
  }

  caf::error parse(std::string_view text) {
    while (!text.empty()) {
      if (!within) {
        text.remove_prefix(
          std::min(text.find_first_not_of(white_space), text.size()));
        if (text.empty())
          return {};
        parser.reset();
        within = true;
      }
      json::error_code err;
      const auto n = parser.write_some(true, text.data(), text.size(), err);
      if (err) {
        // What came before is good, wherever the pieces end.
        if (auto failed = deliver())
          return failed;
        return broken_line(builder().line,
                           "this is no JSON (" + err.message() + ")");
      }
      text.remove_prefix(n);
      // A document that has ended takes the white space behind it, no more.
      if (parser.done())
        within = false;
      if (auto failed = deliver())
        return failed;
      item_bytes = builder().collects() ? item_bytes + n : 0;
      if (item_bytes > max_record_bytes)
        return broken_line(builder().item_line,
                           "the object is longer than 1 MiB");
    }
    return {};
  }

  caf::error deliver() {
    auto items = std::exchange(builder().items, {});
    for (auto& x : items)
      if (auto err = sink(std::move(x)))
        return err;
    return {};
  }
};

json_reader::json_reader(item_sink sink)
  : x_state{std::make_unique<state>(std::move(sink))} {
  // nop
}

json_reader::~json_reader() = default;

caf::error json_reader::feed(std::string_view bytes) {
  // Line by line, as the parser does not tell where it is.
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto size = end == std::string_view::npos ? bytes.size() : end + 1;
    if (auto err = x_state->parse(bytes.substr(0, size)))
      return err;
    if (end != std::string_view::npos)
      ++x_state->builder().line;
    bytes.remove_prefix(size);
  }
  return {};
}

caf::error json_reader::finish() {
  if (x_state->within)
    return broken_line(x_state->builder().line,
                       "the file ends within a JSON document (is it "
                       "complete?)");
  if (!x_state->builder().saw_list)
    return broken_line(1, "the file has no list of links");
  return {};
}

} // namespace turnout::transfer
