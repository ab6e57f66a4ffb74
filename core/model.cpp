#include "core/model.hpp"

namespace turnout {

const char* to_string(routing_type x) noexcept {
  return x == routing_type::geo ? "geo" : "ab_test";
}

std::optional<routing_type> parse_routing_type(std::string_view text) noexcept {
  for (auto x : {routing_type::ab_test, routing_type::geo})
    if (text == to_string(x))
      return x;
  return std::nullopt;
}

const char* prefix_of(key_type x) noexcept {
  switch (x) {
    case key_type::secret:
      return "svc_sk_";
    case key_type::publishable:
      return "svc_pk_";
    case key_type::live:
      return "svc_live_";
  }
  return "";
}

const char* to_string(key_type x) noexcept {
  switch (x) {
    case key_type::secret:
      return "secret";
    case key_type::publishable:
      return "publishable";
    case key_type::live:
      return "live";
  }
  return "";
}

std::optional<key_type> parse_key_type(std::string_view text) noexcept {
  for (auto x : {key_type::secret, key_type::publishable, key_type::live})
    if (text == to_string(x))
      return x;
  return std::nullopt;
}

} // namespace turnout
