#pragma once

#include "actors/click_pile.hpp"
#include "actors/interfaces.hpp"
#include "journal/journal.hpp"
#include "monitoring/metrics.hpp"
#include "reactor/background_thread.hpp"
#include "storage/plugin_loader.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace turnout {

/// What the DRAIN works with; everything outlives it.
struct drain_tools {
  std::filesystem::path journal_dir;
  /// The node's id, under which the store remembers journal positions.
  uuid node;
  /// Clicks that are stored in one transaction.
  size_t batch = 5000;
  /// Events of a round: as many as are waiting, at most about this many.
  size_t round = 400'000;
  std::chrono::milliseconds interval{200};
  storage::backend_factory open;
  /// Returns the newest committed position of a journal of this run, 0 for the
  /// journals of former runs.
  std::function<int64_t(int journal)> committed;
  metrics* counters = nullptr;
  /// Called with the new totals of the links that a stored batch touched; may
  /// be empty.
  std::function<void(const std::vector<storage::link_totals>&)> touched = {};
};

/// State of the DRAIN: moves events from the journals of a node into the store,
/// each exactly once.
class drain_state {
public:
  static inline const char* name = "drain";

  drain_state();

  /// Sets up; must be called first.
  void init(const drain_tools& tools);

  /// Moves one round: what is waiting in all journals, in as many transactions
  /// as it takes, the clicks link by link. Positions move with the last one;
  /// what was stored before a failure is known by its id when it comes again.
  /// Returns whether more is waiting, or why not everything could be moved;
  /// then the rest stays in the journals for the next call.
  caf::expected<bool> move_round();

  /// Moves rounds until nothing is left. Fails after 10 seconds, so that a
  /// DRAIN that is far behind still listens.
  caf::error move_all();

  /// Whether the events of the last round were old when they were stored.
  bool is_late() const noexcept;

private:
  /// What was read of one journal.
  struct portion {
    int journal = 0;
    /// Position and time of the last event; 0 when there is none.
    int64_t last = 0;
    timestamp end = {};
    /// Whether the journal has more.
    bool more = false;
  };

  struct round {
    std::vector<portion> portions;
    click_pile clicks;
    /// All other events; becomes the last batch.
    storage::event_batch others;
    timestamp oldest;

    bool is_empty() const noexcept {
      return clicks.size() == 0 && others.excluded.empty()
             && others.conversions.empty();
    }

    void drop_after(int journal, int64_t position);
  };

  caf::error connect();

  /// How long the oldest event has been waiting; very long if somebody waits
  /// for it.
  std::chrono::microseconds waited() const noexcept;

  /// Runs `f` with the priority that events have by their age.
  template <class F>
  auto run(F f);

  /// Shows what is still to be moved; to be called when a round has ended,
  /// however it did.
  void show_backlog();

  /// Returns when the first event after a position was made; the greatest time
  /// when there is none.
  timestamp first_after(int journal, int64_t position);

  caf::expected<bool> try_round(round& next);

  caf::error move_rounds();

  /// Reads at most about `max` events of a journal.
  caf::error read(int number, size_t max, round& to);

  caf::error read(round& to);

  /// Puts the clicks of a round into the order in which they are stored.
  void arrange(round& x) const;

  /// A conversion may name a click of another journal. Where a journal has more
  /// than was read, conversions made after the end of what was read wait.
  static void leave_early_conversions(round& x);

  caf::error store(const storage::event_batch& batch);

  caf::error store(round& x);

  drain_tools x_tools;
  std::unique_ptr<journal::reader> x_reader;
  storage::backend_ptr x_db;
  /// Last stored position by journal; only valid while `x_db` is open.
  std::map<int, int64_t> x_positions;
  /// Time of the oldest event that was read and is not known to be stored; the
  /// time of the last look when there is none.
  timestamp x_oldest = timestamp::max();
  bool x_is_awaited = false;
  /// Clicks of the last round, and their different texts.
  size_t x_num_clicks = 0;
  size_t x_num_texts = 0;
  /// Whether the store should be asked again, even without events.
  bool x_conversion_waits = false;
  background_thread x_calm;
  background_thread x_eager;
};

/// How long the DRAIN pauses after a round that took so long, if nothing is
/// late: eight times as long, but at least `interval`, and beyond that at most
/// 3.5 times `interval` and 0.7 s.
std::chrono::milliseconds rest_after(std::chrono::steady_clock::duration round,
                                     std::chrono::milliseconds interval);

/// Behavior of the DRAIN, which blocks and therefore must be detached.
drain_actor::behavior_type
drain(drain_actor::stateful_pointer<drain_state> self,
      const drain_tools& tools);

} // namespace turnout
