#pragma once

#include "config/settings.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace turnout::config {

/// A value of a setting of any type. Paths are strings here.
using value
  = std::variant<std::string, int64_t, bool, std::vector<std::string>>;

/// What is known of one setting. The file, the environment, the example file
/// and `check-config` all follow from it.
struct setting {
  /// Empty for a setting that stands outside of the sections.
  std::string_view section;
  std::string_view key;
  /// Sentences for the example file.
  std::string_view help;
  /// Its type is the type of the setting.
  value fallback;
  /// Bounds of a number.
  int64_t min = 0;
  int64_t max = 0;
  /// Whether a string, or each one of a list, is acceptable; none accepts all.
  bool (*accepts)(std::string_view text) = nullptr;
  /// What `accepts` accepts, for people: follows "expected".
  std::string_view expected;
  /// Whether it may hold a password and is masked wherever it is shown.
  bool secret = false;
  /// Whether it is secret as a whole and never shown.
  bool hidden = false;
  /// Whether a reload takes it over; others need a restart.
  bool reloads = false;
  std::function<value(const settings&)> read;
  /// The value must have the type of `fallback` and pass `problem_of`.
  std::function<void(settings&, const value&)> write;

  /// "section.key", or "key".
  std::string name() const;

  /// The name as an environment variable, such as TURNOUT_HTTP_LISTEN.
  std::string variable() const;
};

/// All settings, in the order of the example file: those outside of sections
/// first, sections in one piece.
const std::vector<setting>& setting_table();

/// Returns the setting of a name ("section.key"), or null.
const setting* find_setting(std::string_view name);

/// Returns the name of a setting that `name` may have been meant to be; empty
/// if none is near.
std::string nearest_name(std::string_view name);

/// Returns what is wrong with a value as a sentence that starts with the name
/// of the setting; empty if it is fine.
std::string problem_of(const setting& which, const value& x);

/// Returns what is wrong between settings that are fine each on its own, or
/// an empty string.
std::string conflict_in(const settings& x);

/// A setting that two sets of settings have different values of.
struct difference {
  const setting* which;
  value before;
  value after;
};

/// Returns where `after` differs from `before`, in the order of the table.
std::vector<difference> differences(const settings& before,
                                    const settings& after);

/// Renders a value as TOML; a secret is masked.
std::string to_toml(const setting& which, const value& x);

} // namespace turnout::config
