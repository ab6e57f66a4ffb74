#pragma once

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>

#include <functional>
#include <string>
#include <vector>

namespace turnout {

/// An actor that the ROOT SUPERVISOR starts and watches.
struct child_spec {
  std::string name;
  /// Spawns it and lets those who talk to it know the new handle.
  std::function<caf::actor()> start;
  /// Whether it can be started anew; the death of another one is the end.
  bool restartable = true;
};

/// Behavior of the ROOT SUPERVISOR: starts the children in order and starts
/// again those that die. More than 5 deaths in 60 seconds, or the death of a
/// child that is not restartable, call `give_up`, once, with the reason. When
/// it ends itself, it ends its children in reverse order.
caf::behavior root_supervisor(caf::event_based_actor* self,
                              std::vector<child_spec> children,
                              std::function<void()> count_restart,
                              std::function<void(std::string)> give_up);

} // namespace turnout
