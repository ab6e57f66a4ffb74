#include "actors/change_feed.hpp"

#include "actors/store_call.hpp"
#include "core/error.hpp"
#include "monitoring/log.hpp"

#include <caf/stateful_actor.hpp>

#include <chrono>
#include <utility>

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

caf::error change_feed_state::poll() {
  if (db == nullptr) {
    auto opened = tools.open();
    if (!opened)
      return std::move(opened.error());
    db = std::move(*opened);
  }
  const auto start = std::chrono::steady_clock::now();
  auto changes = db->changes_since(seen);
  const std::chrono::duration<double> took
    = std::chrono::steady_clock::now() - start;
  tools.counters->store_operation("changes_since", has_answer(changes),
                                  took.count());
  if (!changes)
    return std::move(changes.error());
  auto keys_changed = false;
  for (const auto& x : *changes) {
    seen = x.seq;
    if (x.what == storage::change::kind::link) {
      tools.counters->link_changes_seen->Increment();
      tools.link_changed(x.id);
    } else {
      tools.counters->key_changes_seen->Increment();
      keys_changed = true;
    }
  }
  if (keys_changed)
    tools.keys_changed();
  return caf::none;
}

void change_feed_state::note(const caf::error& err) {
  auto& health = *tools.health;
  tools.counters->store_up->Set(err ? 0 : 1);
  if (err) {
    if (health.reason().empty())
      log::error("the store does not answer", {{"error", detail(err)}});
    health.set(detail(err));
    return;
  }
  if (!health.reason().empty())
    log::info("the store answers again");
  health.set({});
}

change_feed_actor::behavior_type
change_feed(change_feed_actor::stateful_pointer<change_feed_state> self,
            int64_t first, const change_feed_tools& tools) {
  self->state.seen = first;
  self->state.tools = tools;
  self->send(self, tick_atom::value);
  return {
    [=](tick_atom) {
      auto& st = self->state;
      const auto err = st.poll();
      st.note(err);
      if (err) {
        self->delayed_send(self, poll_interval, tick_atom::value);
        return;
      }
      st.db->wait_for_change(poll_interval);
      self->send(self, tick_atom::value);
    },
  };
}

} // namespace turnout
