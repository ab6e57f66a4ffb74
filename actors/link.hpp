#pragma once

#include "actors/interfaces.hpp"
#include "actors/link_usage.hpp"
#include "config/settings.hpp"
#include "core/routing.hpp"
#include "monitoring/metrics.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <list>
#include <memory>
#include <string>

namespace turnout {

/// State of a LINK.
class link_state {
public:
  static inline const char* name = "link";

  /// Takes over the link as the store has it.
  void assign(link x);

  /// Answers a visit: chooses the variant and makes the record to journal.
  void answer(visit& x);

  /// The link as it is in force.
  link current;

  /// Options of the redirect; outlives the actor.
  const settings* options = nullptr;

  store_pool_actor pool;

  /// Called with each change that was stored; may be empty.
  std::function<void(const link&)> saved;

  /// Changes that wait for the one that is being stored. A list, as an empty
  /// deque has memory: half a kilobyte for each link that nobody changes.
  std::list<link_call_ptr> waiting;

  /// Whether a change is being stored or the link being read.
  bool busy = false;

  /// Whether the link is to be read again after what is under way.
  bool reload = false;

  /// Whether the actor ends after what is under way.
  bool leaving = false;

  std::shared_ptr<link_usage> usage;

private:
  routing_table x_routes;
  std::string x_cookie_name;
};

/// Behavior of a LINK.
/// @param options must outlive the actor.
/// @param saved called with each change that was stored; may be empty.
link_actor::behavior_type
link_behavior(link_actor::stateful_pointer<link_state> self, const link& x,
              const settings* options, const store_pool_actor& pool,
              std::shared_ptr<link_usage> usage,
              std::function<void(const link&)> saved);

} // namespace turnout
