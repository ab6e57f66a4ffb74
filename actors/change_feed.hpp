#pragma once

#include "actors/interfaces.hpp"
#include "monitoring/metrics.hpp"
#include "storage/plugin_loader.hpp"

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

/// What the CHANGE FEED works with. Pointers must outlive it.
struct change_feed_tools {
  storage::backend_factory open;
  /// Told that a link of this id was changed.
  std::function<void(const uuid&)> link_changed;
  /// Told that keys or accounts were changed.
  std::function<void()> keys_changed;
  store_health* health = nullptr;
  metrics* counters = nullptr;
};

/// State of the CHANGE FEED.
struct change_feed_state {
  static inline const char* name = "change_feed";

  change_feed_tools tools;
  /// A connection of its own, so that changes are seen in time however busy the
  /// STORE POOL is.
  storage::backend_ptr db;
  /// The newest change that was told.
  int64_t seen = 0;

  /// Tells what has changed since the last time.
  caf::error poll();

  /// Notes whether the store answered.
  void note(const caf::error& err);
};

/// Behavior of the CHANGE FEED, for a detached actor: it waits for the store to
/// wake it up, and asks several times a second in any case.
/// @param first the newest change at the time the others read the store.
change_feed_actor::behavior_type
change_feed(change_feed_actor::stateful_pointer<change_feed_state> self,
            int64_t first, const change_feed_tools& tools);

} // namespace turnout
