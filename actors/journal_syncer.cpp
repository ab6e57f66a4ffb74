#include "actors/journal_syncer.hpp"

#include "core/error.hpp"
#include "journal/journal.hpp"
#include "monitoring/log.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace turnout {

journal_syncer_actor::behavior_type
journal_syncer(journal_syncer_actor::pointer self,
               const std::filesystem::path& dir,
               std::chrono::milliseconds interval) {
  self->delayed_send(self, interval, tick_atom::value);
  return {
    [=](tick_atom) {
      self->delayed_send(self, interval, tick_atom::value);
      if (auto err = journal::sync_all(dir))
        log::warning("journal not synced to the disk",
                     {{"error", detail(err)}});
    },
  };
}

} // namespace turnout
