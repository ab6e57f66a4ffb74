#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace turnout {

// Case of ASCII letters only, whatever the locale: names of headers, schemes,
// hosts and the like. Other bytes stand for themselves.

/// Returns the lower-case form of an upper-case letter, other bytes as they
/// are.
constexpr char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// Returns a copy in lower case.
inline std::string lowered(std::string_view x) {
  std::string result{x};
  for (auto& c : result)
    c = to_lower(c);
  return result;
}

/// Eight bytes of text, to work on at once; visits ask much about theirs.
inline uint64_t eight_bytes(const char* x) noexcept {
  uint64_t result;
  std::memcpy(&result, x, sizeof(result));
  return result;
}

/// Returns the lower-case form of eight bytes.
constexpr uint64_t to_lower(uint64_t x) noexcept {
  constexpr uint64_t each = 0x0101'0101'0101'0101;
  // Each sum sets the top bit of the bytes it is about.
  const auto low = x & (0x7f * each);
  const auto from_a = low + (0x80 - 'A') * each;
  const auto beyond_z = low + (0x7f - 'Z') * each;
  const auto is_upper = (from_a & ~beyond_z & ~x) & (0x80 * each);
  return x | (is_upper >> 2);
}

/// Returns whether `is(offset)` holds for every eight bytes of a text that has
/// at least eight; the last ones may have some of those before in them.
template <class F>
bool all_eights(size_t size, F is) noexcept {
  const auto last = size - 8;
  for (size_t i = 0; i < last; i += 8)
    if (!is(i))
      return false;
  return is(last);
}

/// Returns whether two texts are the same but for case.
inline bool equals_folded(std::string_view x, std::string_view y) noexcept {
  if (x.size() != y.size())
    return false;
  if (x.size() < 8)
    return std::equal(x.begin(), x.end(), y.begin(), [](char a, char b) {
      return to_lower(a) == to_lower(b);
    });
  return all_eights(x.size(), [&](size_t i) {
    return to_lower(eight_bytes(x.data() + i))
           == to_lower(eight_bytes(y.data() + i));
  });
}

/// Returns whether `text` begins with `start`, whatever the case.
inline bool starts_with_folded(std::string_view text,
                               std::string_view start) noexcept {
  return equals_folded(text.substr(0, start.size()), start);
}

/// Returns whether `part` is somewhere in `text`, whatever the case.
inline bool contains_folded(std::string_view text,
                            std::string_view part) noexcept {
  return part.empty()
         || std::search(
              text.begin(), text.end(), part.begin(), part.end(),
              [](char a, char b) { return to_lower(a) == to_lower(b); })
              != text.end();
}

/// Returns whether `x` has nothing but printable ASCII: neither control
/// characters nor bytes beyond ASCII.
inline bool is_printable(std::string_view x) noexcept {
  if (x.size() < 8)
    return std::all_of(x.begin(), x.end(),
                       [](char c) { return c >= 0x20 && c < 0x7f; });
  return all_eights(x.size(), [&](size_t i) {
    constexpr uint64_t each = 0x0101'0101'0101'0101;
    const auto word = eight_bytes(x.data() + i);
    // Each sets the top bit of the first byte it is about: what is beyond
    // ASCII, below a space, or DEL.
    const auto found = word | (word - 0x20 * each) | (word + each);
    return (found & (0x80 * each)) == 0;
  });
}

} // namespace turnout
