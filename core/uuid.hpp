#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace turnout {

/// A 128-bit identifier, kept as two big-endian halves so that comparing them
/// as numbers orders UUIDv7 by creation time. All zero means "none".
struct uuid {
  uint64_t hi = 0;
  uint64_t lo = 0;

  /// Parses the 36-character form in either case; nullopt for anything else.
  static std::optional<uuid> parse(std::string_view text) noexcept;

  /// Returns the lower-case 36-character form.
  std::string str() const;

  /// Appends the same to a text.
  void append_to(std::string& out) const;

  /// Returns whether this is a real identifier.
  explicit operator bool() const noexcept {
    return (hi | lo) != 0;
  }

  friend auto operator<=>(const uuid&, const uuid&) = default;
};

} // namespace turnout

template <>
struct std::hash<turnout::uuid> {
  size_t operator()(const turnout::uuid& x) const noexcept {
    return static_cast<size_t>(x.lo ^ (x.hi * 0x9e3779b97f4a7c15ull));
  }
};
