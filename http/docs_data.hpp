#pragma once

#include <span>
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

/// What script/generate-docs.mjs makes at build time.
namespace docs_data {

/// What the page below /docs consists of, but for the page.
extern const std::span<const asset> files;

/// The page, with "@description_path@" where the path of the description goes.
extern const std::string_view page;

/// The OpenAPI document as JSON, with "@base_url@", "@public_root@" and
/// "@short_base@" as addresses of servers.
extern const std::string_view description;

} // namespace docs_data

} // namespace turnout
