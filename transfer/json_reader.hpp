#pragma once

#include "core/error.hpp"
#include "transfer/record.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace turnout::transfer {

/// An object of a JSON file.
struct json_item {
  /// Line that it begins on, from 1.
  int64_t line = 0;
  json::object value;
};

/// Takes a JSON file apart: every object that is an element of an array, or a
/// member of an object named "links", is an item. Several documents may follow
/// each other, such as the pages of an API. Never holds more than one item.
class json_reader {
public:
  using item_sink = std::function<caf::error(json_item)>;

  explicit json_reader(item_sink sink);

  ~json_reader();

  /// Takes the next bytes. Fails when the file is no JSON, when an item has
  /// more than `max_record_bytes`, or with the error of the sink.
  caf::error feed(std::string_view bytes);

  /// Takes the end of the file; fails within a document.
  caf::error finish();

private:
  struct state;
  std::unique_ptr<state> x_state;
};

} // namespace turnout::transfer
