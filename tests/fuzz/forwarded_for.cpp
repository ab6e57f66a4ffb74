// Who a visitor is: addresses, blocks, X-Forwarded-For and X-Real-IP. The first
// line is the peer, the second the trusted blocks, the third X-Real-IP, each
// further one an X-Forwarded-For.

#include "core/privacy.hpp"
#include "http/client_address.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

using namespace turnout;

namespace {

std::vector<std::string> divided(std::string_view text) {
  std::vector<std::string> result;
  for (;;) {
    const auto comma = text.find(',');
    result.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos)
      return result;
    text.remove_prefix(comma + 1);
  }
}

void check_address(const ip_address& x) {
  HOLDS(ip_address::parse(x.str()) == x);
  HOLDS(ip_address::parse("  " + x.str() + "\t") == x);
  HOLDS(ip_address::parse(x.is_v4 ? x.str() + ":80" : "[" + x.str() + "]:80")
        == x);
  const auto cut = x.anonymised();
  HOLDS(cut.is_v4 == x.is_v4);
  HOLDS(cut.anonymised() == cut);
  // No bit of the host is left.
  const auto kept = x.is_v4 ? 3u : 6u;
  for (size_t i = 0; i < 16; ++i)
    HOLDS(cut.bytes[i] == (i < kept ? x.bytes[i] : 0));
  const auto block = ip_block::parse(x.str());
  HOLDS(block && block->contains(x));
}

/// Does what the contract says in the plainest way.
ip_address expected(const request& in, const client_resolver& who) {
  if (!who.trusts(in.peer))
    return in.peer;
  std::vector<ip_address> hops;
  for (auto value : in.forwarded_for)
    for (auto& text : divided(value))
      if (auto address = ip_address::parse(text))
        hops.push_back(*address);
  for (auto i = hops.rbegin(); i != hops.rend(); ++i)
    if (!who.trusts(*i))
      return *i;
  if (!hops.empty())
    return hops.front();
  if (auto address = ip_address::parse(in.real_ip))
    return *address;
  return in.peer;
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest{reinterpret_cast<const char*>(data), size};
  request in;
  if (const auto peer = ip_address::parse(fuzz::take_line(rest)))
    in.peer = *peer;
  const auto trusted = divided(fuzz::take_line(rest));
  in.add_header("X-Real-IP", fuzz::take_line(rest), "");
  while (!rest.empty())
    in.add_header("X-Forwarded-For", fuzz::take_line(rest), "");
  const client_resolver who{trusted};
  const auto found = who.address(in);
  HOLDS(found == expected(in, who));
  check_address(in.peer);
  check_address(found);
  // Nobody can make himself somebody else without a trusted peer.
  const client_resolver nobody{{}};
  HOLDS(nobody.address(in) == in.peer);
  HOLDS(nobody.country(in).empty());
  for (const auto& text : trusted)
    if (const auto block = ip_block::parse(text))
      HOLDS(block->contains(block->base));
  return 0;
}
