#pragma once

#include <string_view>

namespace turnout {

/// Returns whether the value of an If-None-Match header names an entity tag.
/// @param etag with its quotes.
inline bool matches_etag(std::string_view if_none_match,
                         std::string_view etag) noexcept {
  // The quotes make the search exact; whether a tag is weak does not matter
  // here.
  return if_none_match == "*"
         || if_none_match.find(etag) != std::string_view::npos;
}

} // namespace turnout
