#pragma once

#include "core/error.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace turnout::transfer {

namespace json = boost::json;

/// Bytes that one record of a file may have, so that a file of any size is read
/// in bounded memory.
inline constexpr size_t max_record_bytes = 1024 * 1024;

/// What some programs put before text in UTF-8.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// One link of a file.
struct record {
  /// Line of the file that it begins on, from 1.
  int64_t line = 0;
  /// The link as `read_link` takes it, or why the record cannot be read.
  caf::expected<json::object> body;
};

/// Takes records in the order of the file; an error ends the reading.
using record_sink = std::function<caf::error(record)>;

/// Takes a file apart, piece by piece.
class record_reader {
public:
  virtual ~record_reader() = default;

  /// Takes the next bytes. Fails when nothing further can be read from the
  /// file; the error names the line.
  virtual caf::error feed(std::string_view bytes) = 0;

  /// Takes the end of the file.
  virtual caf::error finish() = 0;
};

/// Returns `ec::invalid` "line <line>: <text>".
caf::error broken_line(int64_t line, std::string_view text);

} // namespace turnout::transfer
