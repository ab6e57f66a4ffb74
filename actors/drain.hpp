#pragma once

#include "actors/interfaces.hpp"
#include "journal/journal.hpp"
#include "monitoring/metrics.hpp"
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
  /// Events of one journal in a batch.
  size_t batch = 5000;
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

  /// Sets up; must be called first.
  void init(const drain_tools& tools);

  /// Moves one batch. Returns whether more is waiting, or why nothing could be
  /// moved; then everything stays in the journals for the next call.
  caf::expected<bool> move_batch();

  /// Moves batches until nothing is left. Fails after 10 seconds, so that a
  /// DRAIN that is far behind still listens.
  caf::error move_all();

private:
  /// Events of one journal that were read for a batch.
  struct portion {
    int journal = 0;
    std::vector<journal::entry> entries;
    /// Whether the journal has more.
    bool more = false;
  };

  caf::error connect();

  void show_backlog();

  caf::expected<std::vector<portion>> read();

  drain_tools x_tools;
  std::unique_ptr<journal::reader> x_reader;
  storage::backend_ptr x_db;
  /// Last stored position by journal; only valid while `x_db` is open.
  std::map<int, int64_t> x_positions;
  /// Whether the store should be asked again, even without events.
  bool x_conversion_waits = false;
};

/// Behavior of the DRAIN, which blocks and therefore must be detached.
drain_actor::behavior_type
drain(drain_actor::stateful_pointer<drain_state> self,
      const drain_tools& tools);

} // namespace turnout
