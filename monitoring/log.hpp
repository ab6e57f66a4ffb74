#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace turnout::log {

enum class level { debug, info, warning, error };

/// A name and a value of a log line.
using field = std::pair<std::string_view, std::string>;

/// Sets the lowest level that is written.
void set_level(level x) noexcept;

/// Sets it by name (debug, info, warning, error); false for another name.
bool set_level(std::string_view name) noexcept;

/// Writes one line of JSON to stderr: time, level, message, then the fields in
/// order. From any thread; lines never mix.
void write(level x, std::string_view message,
           std::initializer_list<field> fields = {});

inline void debug(std::string_view message,
                  std::initializer_list<field> fields = {}) {
  write(level::debug, message, fields);
}

inline void info(std::string_view message,
                 std::initializer_list<field> fields = {}) {
  write(level::info, message, fields);
}

inline void warning(std::string_view message,
                    std::initializer_list<field> fields = {}) {
  write(level::warning, message, fields);
}

inline void error(std::string_view message,
                  std::initializer_list<field> fields = {}) {
  write(level::error, message, fields);
}

} // namespace turnout::log
