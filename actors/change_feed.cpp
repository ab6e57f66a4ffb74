#include "actors/change_feed.hpp"

#include "actors/store_call.hpp"
#include "monitoring/log.hpp"

#include <caf/stateful_actor.hpp>

#include <chrono>
#include <utility>
#include <vector>

namespace turnout {

namespace {

/// Changes of other processes must hold within a second.
constexpr auto poll_interval = std::chrono::milliseconds{250};

} // namespace

void store_health::set(std::string reason) {
  x_reason.store(std::make_shared<const std::string>(std::move(reason)));
}

std::string store_health::reason() const {
  return *x_reason.load();
}

change_feed_actor::behavior_type
change_feed(change_feed_actor::stateful_pointer<change_feed_state> self,
            int64_t first, const store_pool_actor& pool,
            change_listeners listeners, store_health* health) {
  using changes = std::vector<storage::change>;
  self->state.seen = first;
  self->delayed_send(self, poll_interval, tick_atom::value);
  return {
    [=](tick_atom) {
      store_call<changes>(
        self, pool, "changes_since",
        [seen = self->state.seen](storage::backend& db) {
          return db.changes_since(seen);
        },
        [=](caf::expected<changes>& result) {
          self->delayed_send(self, poll_interval, tick_atom::value);
          if (!result) {
            if (health->reason().empty())
              log::error("the store does not answer",
                         {{"error", detail(result.error())}});
            health->set(detail(result.error()));
            return;
          }
          if (!health->reason().empty())
            log::info("the store answers again");
          health->set({});
          auto keys_changed = false;
          for (const auto& x : *result) {
            self->state.seen = x.seq;
            if (x.what == storage::change::kind::link)
              listeners.link_changed(x.id);
            else
              keys_changed = true;
          }
          if (keys_changed)
            listeners.keys_changed();
        });
    },
  };
}

} // namespace turnout
