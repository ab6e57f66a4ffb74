#pragma once

#include "core/privacy.hpp"
#include "http/request.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace turnout {

/// Finds out from whom a request comes when proxies stand before us. Headers
/// are believed only when a trusted proxy sent them.
class client_resolver {
public:
  /// @param trusted addresses or CIDR blocks; what is neither trusts nobody.
  explicit client_resolver(const std::vector<std::string>& trusted);

  /// Returns whether forwarding headers from `x` are believed.
  bool trusts(const ip_address& x) const noexcept;

  /// Returns the client's address: X-Forwarded-For from the right over trusted
  /// hops (if all are trusted, the leftmost), else X-Real-IP, else the peer.
  ip_address address(const request& x) const noexcept;

  /// Returns the country that a trusted proxy's header names, in upper case;
  /// empty for none, unknown codes and junk.
  std::string country(const request& x) const;

private:
  std::vector<ip_block> x_trusted;
};

} // namespace turnout
