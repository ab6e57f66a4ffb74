#pragma once

#include "config/settings.hpp"
#include "http/client_address.hpp"

#include <cstddef>

namespace turnout {

/// The settings that the way of every request reads and that a reload may
/// change; immutable once published by `site::apply`.
struct traffic_rules {
  explicit traffic_rules(const settings& options);

  client_resolver clients;

  /// Requests under way at once, per reactor.
  size_t max_in_flight;
};

} // namespace turnout
