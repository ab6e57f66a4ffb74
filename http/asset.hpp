#pragma once

#include "http/request.hpp"
#include "http/response.hpp"

#include <span>
#include <string>
#include <string_view>

namespace turnout {

/// A file that is part of the binary.
struct asset {
  /// Where it is served.
  std::string_view path;
  /// Its Content-Type.
  std::string_view type;
  /// Hex digits that change with the content.
  std::string_view hash;
  std::string_view plain;
  /// The same, compressed.
  std::string_view gzip;
};

/// Finds the file that is served at a path; nullptr when there is none.
const asset* find_asset(std::span<const asset> files,
                        std::string_view path) noexcept;

/// Answers with a file: compressed if the client takes that, and without a
/// body if it has the file already.
response asset_response(const asset& file, const request& in);

/// Returns whether the value of an Accept-Encoding header allows gzip.
bool accepts_gzip(std::string_view accept_encoding) noexcept;

/// Returns `text` as the value of an HTML attribute in double quotes.
std::string escape_html(std::string_view text);

} // namespace turnout
