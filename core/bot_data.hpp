#pragma once

#include <span>
#include <string_view>

namespace turnout::bot_data {

/// How to recognise one crawler.
struct rule {
  /// Text that every matching user agent contains, case-sensitive.
  std::string_view atom;
  /// Expression that must match as well; empty when the text is enough.
  std::string_view regex;
  /// Whether it fetches a page to show a preview of a link.
  bool preview;
};

/// All rules, made by script/generate-data.mjs.
extern const std::span<const rule> rules;

} // namespace turnout::bot_data
