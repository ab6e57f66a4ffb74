#include "http/traffic_rules.hpp"

#include <algorithm>

namespace turnout {

traffic_rules::traffic_rules(const settings& options)
  : clients{options.http.trusted_proxies},
    max_in_flight{
      static_cast<size_t>(std::max(1, options.http.max_in_flight))} {
  // nop
}

} // namespace turnout
