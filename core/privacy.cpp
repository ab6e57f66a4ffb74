#include "core/privacy.hpp"

#include "core/ascii.hpp"
#include "core/event.hpp"
#include "core/sodium.hpp"

#include <arpa/inet.h>
#include <endian.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <type_traits>

namespace turnout {

namespace {

/// Parses four numbers with points between, as inet_pton does, for each visit.
std::optional<ip_address> parse_v4(std::string_view text) noexcept {
  ip_address result;
  const auto* pos = text.data();
  const auto* end = pos + text.size();
  for (size_t i = 0; i < 4; ++i) {
    if (i > 0 && (pos == end || *pos++ != '.'))
      return std::nullopt;
    const auto* begin = pos;
    auto number = 0;
    for (; pos != end && is_digit(*pos) && number <= 255; ++pos)
      number = 10 * number + (*pos - '0');
    if (pos == begin || number > 255 || (*begin == '0' && pos - begin > 1))
      return std::nullopt;
    result.bytes[i] = static_cast<uint8_t>(number);
  }
  return pos == end ? std::optional{result} : std::nullopt;
}

/// Parses the bare text form of an address: no brackets, port or zone.
/// @param mapped is set when the text was an IPv4-mapped IPv6 address.
std::optional<ip_address> parse_bare(std::string_view text,
                                     bool& mapped) noexcept {
  mapped = false;
  if (const auto result = parse_v4(text))
    return result;
  char buf[INET6_ADDRSTRLEN];
  if (text.empty() || text.size() >= sizeof(buf)
      || text.find('\0') != std::string_view::npos)
    return std::nullopt;
  std::memcpy(buf, text.data(), text.size());
  buf[text.size()] = '\0';
  ip_address result;
  if (inet_pton(AF_INET6, buf, result.bytes.data()) != 1)
    return std::nullopt;
  static constexpr uint8_t mapped_prefix[12]
    = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  auto& bytes = result.bytes;
  if (std::equal(std::begin(mapped_prefix), std::end(mapped_prefix),
                 bytes.begin())) {
    mapped = true;
    std::copy(bytes.begin() + 12, bytes.end(), bytes.begin());
    std::fill(bytes.begin() + 4, bytes.end(), uint8_t{0});
    return result;
  }
  result.is_v4 = false;
  return result;
}

std::optional<ip_address> parse_bare(std::string_view text) noexcept {
  bool mapped = false;
  return parse_bare(text, mapped);
}

std::string_view trim(std::string_view x) noexcept {
  auto begin = x.find_first_not_of(" \t");
  if (begin == std::string_view::npos)
    return {};
  return x.substr(begin, x.find_last_not_of(" \t") - begin + 1);
}

/// Parses a whole decimal number; -1 for anything else.
int parse_number(std::string_view text, int max) noexcept {
  if (text.empty() || text.size() > 5)
    return -1;
  int result = 0;
  auto [end, err]
    = std::from_chars(text.data(), text.data() + text.size(), result);
  if (err != std::errc{} || end != text.data() + text.size()
      || text.front() == '-' || result > max)
    return -1;
  return result;
}

std::string_view without_zone(std::string_view x) noexcept {
  return x.substr(0, x.find('%'));
}

struct range {
  uint8_t base[16];
  int prefix;
};

/// Returns eight bytes as a number whose first bits are theirs.
uint64_t first_bits(const uint8_t* x) noexcept {
  uint64_t result;
  std::memcpy(&result, x, sizeof(result));
  return be64toh(result);
}

bool has_prefix(const std::array<uint8_t, 16>& bytes, const uint8_t* base,
                int prefix) noexcept {
  const auto first = first_bits(bytes.data()) ^ first_bits(base);
  if (prefix <= 64)
    return prefix == 0 || first >> (64 - prefix) == 0;
  const auto second = first_bits(bytes.data() + 8) ^ first_bits(base + 8);
  return first == 0 && second >> (128 - prefix) == 0;
}

// IANA's special-purpose registries, as far as they are not global.
constexpr range reserved_v4[] = {
  {{0}, 8},             // this network
  {{10}, 8},            // private
  {{100, 64}, 10},      // shared, carrier-grade NAT
  {{127}, 8},           // loopback
  {{169, 254}, 16},     // link-local
  {{172, 16}, 12},      // private
  {{192, 0, 0}, 24},    // protocol assignments
  {{192, 0, 2}, 24},    // documentation
  {{192, 88, 99}, 24},  // former 6to4 relays
  {{192, 168}, 16},     // private
  {{198, 18}, 15},      // benchmarks
  {{198, 51, 100}, 24}, // documentation
  {{203, 0, 113}, 24},  // documentation
  {{224}, 3},           // multicast, future use and broadcast
};

constexpr range global_v6 = {{0x20}, 3};

constexpr range reserved_v6[] = {
  {{0x20, 0x01}, 23},             // protocol assignments, Teredo
  {{0x20, 0x01, 0x0d, 0xb8}, 32}, // documentation
  {{0x20, 0x02}, 16},             // 6to4
  {{0x3f, 0xff}, 20},             // documentation
};

void clear_from(std::array<uint8_t, 16>& bytes, int prefix) noexcept {
  auto first = static_cast<size_t>(prefix / 8);
  if (const auto rest = prefix % 8)
    bytes[first++] &= static_cast<uint8_t>(0xff00 >> rest);
  std::fill(bytes.begin() + first, bytes.end(), uint8_t{0});
}

} // namespace

std::optional<ip_address> ip_address::parse(std::string_view text) noexcept {
  text = trim(text);
  if (text.empty())
    return std::nullopt;
  if (text.front() == '[') {
    auto end = text.find(']');
    if (end == std::string_view::npos)
      return std::nullopt;
    auto rest = text.substr(end + 1);
    if (!rest.empty()
        && (rest.front() != ':' || parse_number(rest.substr(1), 65535) < 0))
      return std::nullopt;
    auto inner = text.substr(1, end - 1);
    // Brackets are for IPv6.
    if (inner.find(':') == std::string_view::npos)
      return std::nullopt;
    return parse_bare(without_zone(inner));
  }
  auto colon = text.find(':');
  // Exactly one colon is IPv4 with a port; several are IPv6.
  if (colon != std::string_view::npos && text.rfind(':') == colon) {
    if (parse_number(text.substr(colon + 1), 65535) < 0)
      return std::nullopt;
    return parse_bare(text.substr(0, colon));
  }
  return parse_bare(colon == std::string_view::npos ? text
                                                    : without_zone(text));
}

std::string ip_address::str() const {
  if (is_v4) {
    // For each visit, where inet_ntop's printf would be dear.
    char text[INET_ADDRSTRLEN];
    auto* end = text;
    for (size_t i = 0; i < 4; ++i) {
      if (i > 0)
        *end++ = '.';
      end = std::to_chars(end, std::end(text), bytes[i]).ptr;
    }
    return {text, end};
  }
  char buf[INET6_ADDRSTRLEN] = {};
  inet_ntop(AF_INET6, bytes.data(), buf, sizeof(buf));
  return buf;
}

bool ip_address::is_public() const noexcept {
  auto is_within
    = [this](const range& x) { return has_prefix(bytes, x.base, x.prefix); };
  if (is_v4)
    return std::none_of(std::begin(reserved_v4), std::end(reserved_v4),
                        is_within);
  return is_within(global_v6)
         && std::none_of(std::begin(reserved_v6), std::end(reserved_v6),
                         is_within);
}

ip_address ip_address::anonymised() const noexcept {
  auto result = *this;
  clear_from(result.bytes, is_v4 ? 24 : 48);
  return result;
}

std::optional<ip_block> ip_block::parse(std::string_view text) noexcept {
  text = trim(text);
  auto slash = text.find('/');
  auto mapped = false;
  auto base = parse_bare(text.substr(0, slash), mapped);
  if (!base)
    return std::nullopt;
  auto bits = base->is_v4 ? 32 : 128;
  ip_block result{*base, bits};
  if (slash != std::string_view::npos) {
    // A mapped address has the prefix length of its IPv6 form.
    auto skipped = mapped ? 96 : 0;
    auto prefix = parse_number(text.substr(slash + 1), bits + skipped);
    if (prefix < skipped)
      return std::nullopt;
    result.prefix = prefix - skipped;
  }
  clear_from(result.base.bytes, result.prefix);
  return result;
}

bool ip_block::contains(const ip_address& x) const noexcept {
  return x.is_v4 == base.is_v4
         && has_prefix(x.bytes, base.bytes.data(), prefix);
}

int64_t visitor_key(const std::array<uint8_t, 32>& day_secret,
                    const ip_address& address,
                    std::string_view user_agent) noexcept {
  static_assert(crypto_shorthash_KEYBYTES
                <= std::tuple_size_v<std::decay_t<decltype(day_secret)>>);
  std::array<uint8_t, 1 + 16 + max_user_agent> text;
  auto* end = text.begin();
  // The family's byte keeps the two parts apart.
  *end++ = address.is_v4 ? 4 : 6;
  end = std::copy_n(address.bytes.begin(), address.is_v4 ? 4 : 16, end);
  const auto counted = std::min(user_agent.size(), max_user_agent);
  std::memcpy(end, user_agent.data(), counted);
  end += counted;
  std::array<uint8_t, crypto_shorthash_BYTES> digest;
  crypto_shorthash(digest.data(), text.data(),
                   static_cast<size_t>(end - text.begin()), day_secret.data());
  uint64_t result = 0;
  for (const auto byte : digest)
    result = (result << 8) | byte;
  // 0 means "not known".
  return result == 0 ? 1 : static_cast<int64_t>(result);
}

} // namespace turnout
