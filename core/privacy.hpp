#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnout {

/// An IPv4 or IPv6 address; IPv4-mapped IPv6 is kept as IPv4.
struct ip_address {
  bool is_v4 = true;
  /// The first 4 bytes for IPv4, all 16 for IPv6.
  std::array<uint8_t, 16> bytes{};

  /// Parses an address with optional brackets and port ("[::1]:80",
  /// "1.2.3.4:80"), zone and surrounding spaces; nullopt for junk.
  static std::optional<ip_address> parse(std::string_view text) noexcept;

  /// Returns the shortest usual text form.
  std::string str() const;

  /// Returns whether the address is reachable over the Internet; false for
  /// private, loopback, link-local, shared (100.64/10), documentation and
  /// other reserved blocks.
  bool is_public() const noexcept;

  /// Returns the address cut to its /24 (IPv4) or /48 (IPv6) network.
  ip_address anonymised() const noexcept;

  friend bool operator==(const ip_address&, const ip_address&) = default;
};

/// A block of addresses in CIDR notation; a plain address is a block of one.
struct ip_block {
  ip_address base;
  int prefix = 0;

  static std::optional<ip_block> parse(std::string_view text) noexcept;

  bool contains(const ip_address& x) const noexcept;
};

/// Returns the key that recognises a visitor within one day, never 0:
/// SipHash-2-4, under the first half of the secret, of the full address and the
/// user agent, of which 512 bytes count. It is made for short texts like this,
/// and each visit needs one.
int64_t visitor_key(const std::array<uint8_t, 32>& day_secret,
                    const ip_address& address,
                    std::string_view user_agent) noexcept;

} // namespace turnout
