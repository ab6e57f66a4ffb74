#pragma once

#include "actors/interfaces.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace turnout {

/// Whether the store answers, as the CHANGE FEED sees it; for any thread.
class store_health {
public:
  /// Notes that the store answers (empty reason) or why it does not.
  void set(std::string reason);

  /// Returns the reason; empty when all is well.
  std::string reason() const;

private:
  std::atomic<std::shared_ptr<const std::string>> x_reason{
    std::make_shared<const std::string>()};
};

/// Whom the CHANGE FEED tells.
struct change_listeners {
  /// A link of this id was changed.
  std::function<void(const uuid&)> link_changed;
  /// A key or account was changed.
  std::function<void()> keys_changed;
};

/// State of the CHANGE FEED.
struct change_feed_state {
  static inline const char* name = "change_feed";

  /// The newest change that was told.
  int64_t seen = 0;
};

/// Behavior of the CHANGE FEED.
/// @param first the newest change at the time the others read the store.
/// @param health must outlive the actor.
change_feed_actor::behavior_type
change_feed(change_feed_actor::stateful_pointer<change_feed_state> self,
            int64_t first, const store_pool_actor& pool,
            change_listeners listeners, store_health* health);

} // namespace turnout
