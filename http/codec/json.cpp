#include "http/codec/json.hpp"

#include "core/ascii.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace turnout {

namespace {

constexpr size_t max_depth = 32;

json::parse_options options() {
  json::parse_options result;
  result.max_depth = max_depth;
  return result;
}

/// Counts the members of all objects of a text.
struct member_counter {
  static constexpr size_t max_object_size = static_cast<size_t>(-1);
  static constexpr size_t max_array_size = static_cast<size_t>(-1);
  static constexpr size_t max_key_size = static_cast<size_t>(-1);
  static constexpr size_t max_string_size = static_cast<size_t>(-1);

  using error_code = json::error_code;
  using text = json::string_view;

  size_t members = 0;

  bool on_document_begin(error_code&) {
    return true;
  }
  bool on_document_end(error_code&) {
    return true;
  }
  bool on_array_begin(error_code&) {
    return true;
  }
  bool on_array_end(size_t, error_code&) {
    return true;
  }
  bool on_object_begin(error_code&) {
    return true;
  }
  bool on_object_end(size_t n, error_code&) {
    members += n;
    return true;
  }
  bool on_string_part(text, size_t, error_code&) {
    return true;
  }
  bool on_string(text, size_t, error_code&) {
    return true;
  }
  bool on_key_part(text, size_t, error_code&) {
    return true;
  }
  bool on_key(text, size_t, error_code&) {
    return true;
  }
  bool on_number_part(text, error_code&) {
    return true;
  }
  bool on_int64(int64_t, text, error_code&) {
    return true;
  }
  bool on_uint64(uint64_t, text, error_code&) {
    return true;
  }
  bool on_double(double, text, error_code&) {
    return true;
  }
  bool on_bool(bool, error_code&) {
    return true;
  }
  bool on_null(error_code&) {
    return true;
  }
  bool on_comment_part(text, error_code&) {
    return true;
  }
  bool on_comment(text, error_code&) {
    return true;
  }
};

size_t count_members(const json::value& x) {
  size_t result = 0;
  if (const auto* array = x.if_array()) {
    for (const auto& y : *array)
      result += count_members(y);
  } else if (const auto* object = x.if_object()) {
    result = object->size();
    for (const auto& member : *object)
      result += count_members(member.value());
  }
  return result;
}

caf::error invalid_json() {
  return make_error(ec::invalid, "Invalid JSON in request body");
}

void write_canonical(const json::value& x, std::string& out) {
  if (const auto* array = x.if_array()) {
    out += '[';
    for (const auto& y : *array) {
      write_canonical(y, out);
      out += ',';
    }
    out += ']';
  } else if (const auto* object = x.if_object()) {
    std::vector<const json::key_value_pair*> members;
    members.reserve(object->size());
    for (const auto& member : *object)
      members.push_back(&member);
    std::sort(members.begin(), members.end(),
              [](const auto* a, const auto* b) { return a->key() < b->key(); });
    out += '{';
    for (const auto* member : members) {
      out += json::serialize(json::value(member->key()));
      out += ':';
      write_canonical(member->value(), out);
      out += ',';
    }
    out += '}';
  } else if (const auto* number = x.if_double();
             number && std::trunc(*number) == *number
             && std::abs(*number) < 9e15) {
    // 50.0 equals 50.
    out += std::to_string(static_cast<int64_t>(*number));
  } else {
    out += json::serialize(x);
  }
}

} // namespace

caf::expected<json::value> parse_json(std::string_view text) {
  // Boost.JSON keeps the last of several members with the same name. That
  // makes less of them than the text has.
  json::basic_parser<member_counter> counter{options()};
  json::error_code err;
  const auto n = counter.write_some(false, text.data(), text.size(), err);
  if (err || n != text.size())
    return invalid_json();
  auto result = json::parse(json::string_view{text.data(), text.size()}, err,
                            {}, options());
  if (err || count_members(result) != counter.handler().members)
    return invalid_json();
  return result;
}

caf::expected<json::value> read_json(const request& in) {
  if (in.body.size() > max_body_bytes)
    return make_error(ec::too_large,
                      "Request body is too large, the limit is 1 MiB");
  for (std::string_view form :
       {"application/x-www-form-urlencoded", "multipart/"})
    if (starts_with_folded(in.content_type, form))
      return make_error(ec::unsupported_type,
                        "Content-Type must be application/json");
  return parse_json(in.body);
}

std::string canonical_json(const json::value& x) {
  std::string result;
  write_canonical(x, result);
  return result;
}

caf::expected<const json::object*> as_object(const json::value& x,
                                             std::string_view path) {
  const auto* result = x.if_object();
  if (!result)
    return must_be(path, "a JSON object");
  return result;
}

const json::value* find_member(const json::object& x, std::string_view name) {
  return x.if_contains(json::string_view{name.data(), name.size()});
}

caf::error require(const json::object& x, std::string_view name,
                   std::string_view path) {
  if (find_member(x, name))
    return {};
  std::string text = "field required: ";
  text += path;
  text += name;
  return make_error(ec::invalid, std::move(text));
}

caf::expected<std::string_view> as_string(const json::value& x,
                                          std::string_view path) {
  const auto* text = x.if_string();
  if (!text)
    return must_be(path, "a string");
  return std::string_view{text->data(), text->size()};
}

caf::expected<bool> as_bool(const json::value& x, std::string_view path) {
  const auto* value = x.if_bool();
  if (!value)
    return must_be(path, "a boolean");
  return *value;
}

caf::expected<int64_t> as_integer(const json::value& x, std::string_view path) {
  if (const auto* value = x.if_int64())
    return *value;
  if (x.is_uint64())
    return std::numeric_limits<int64_t>::max();
  return must_be(path, "an integer");
}

caf::expected<uuid> as_uuid(const json::value& x, std::string_view path) {
  if (const auto* text = x.if_string())
    if (auto id = uuid::parse({text->data(), text->size()}))
      return *id;
  return must_be(path, "a UUID");
}

caf::error must_be(std::string_view path, std::string_view what) {
  std::string text{path};
  text += " must be ";
  text += what;
  return make_error(ec::invalid, std::move(text));
}

json::value text_or_null(std::string_view text) {
  if (text.empty())
    return nullptr;
  return to_json_string(text);
}

json::string to_json_string(std::string_view text) {
  return json::string{json::string_view{text.data(), text.size()}};
}

} // namespace turnout
