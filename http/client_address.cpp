#include "http/client_address.hpp"

#include "core/rules.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace turnout {

client_resolver::client_resolver(const std::vector<std::string>& trusted) {
  for (const auto& text : trusted)
    if (auto block = ip_block::parse(text))
      x_trusted.push_back(*block);
}

bool client_resolver::trusts(const ip_address& x) const noexcept {
  return std::any_of(x_trusted.begin(), x_trusted.end(),
                     [&](const ip_block& y) { return y.contains(x); });
}

ip_address client_resolver::address(const request& x) const noexcept {
  if (!trusts(x.peer))
    return x.peer;
  std::optional<ip_address> leftmost;
  for (auto i = x.forwarded_for.rbegin(); i != x.forwarded_for.rend(); ++i) {
    auto rest = *i;
    while (!rest.empty()) {
      const auto comma = rest.rfind(',');
      const auto hop
        = comma == std::string_view::npos ? rest : rest.substr(comma + 1);
      rest = comma == std::string_view::npos ? std::string_view{}
                                             : rest.substr(0, comma);
      const auto address = ip_address::parse(hop);
      if (!address)
        continue;
      if (!trusts(*address))
        return *address;
      leftmost = address;
    }
  }
  if (leftmost)
    return *leftmost;
  if (const auto address = ip_address::parse(x.real_ip))
    return *address;
  return x.peer;
}

std::string client_resolver::country(const request& x) const {
  std::string result;
  if (x.country.size() != 2 || !trusts(x.peer))
    return result;
  std::transform(
    x.country.begin(), x.country.end(), std::back_inserter(result), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
  if (!is_country_code(result))
    result.clear();
  return result;
}

} // namespace turnout
