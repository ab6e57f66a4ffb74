#pragma once

#include <span>
#include <string_view>

namespace turnout::agent_data {

/// One expression of uap-core. The first one that matches wins.
struct rule {
  std::string_view regex;
  /// The name it gives; "$1" to "$9" stand for its groups.
  std::string_view name;
  bool ignores_case;
};

// Made by script/generate-data.mjs.
extern const std::span<const rule> browsers;
extern const std::span<const rule> systems;
extern const std::span<const rule> devices;

} // namespace turnout::agent_data
