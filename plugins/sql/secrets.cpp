#include "plugins/sql/secrets.hpp"

#include "core/identifiers.hpp"
#include "plugins/sql/failure.hpp"

#include <charconv>

namespace turnout::plugins {

std::string make_secret() {
  constexpr char digits[] = "0123456789abcdef";
  std::array<uint8_t, 32> bytes;
  random_bytes(bytes);
  std::string result;
  for (auto x : bytes) {
    result += digits[x >> 4];
    result += digits[x & 15];
  }
  return result;
}

std::array<uint8_t, 32> decode_secret(const std::string& text) {
  std::array<uint8_t, 32> result{};
  if (text.size() != 2 * result.size())
    fail(ec::unavailable, "The secret of a day is damaged in the store. "
                          "Restore it from a backup.");
  for (size_t i = 0; i < result.size(); ++i)
    std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, result[i],
                    16);
  return result;
}

} // namespace turnout::plugins
