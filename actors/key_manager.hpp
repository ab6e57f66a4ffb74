#pragma once

#include "actors/interfaces.hpp"
#include "core/model.hpp"
#include "monitoring/metrics.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace turnout {

/// What authentication reads: all active keys by their hash, in an immutable
/// snapshot that the KEY MANAGER replaces. May be used from any thread.
class key_ring {
public:
  /// @param default_limit requests per hour of accounts without an own limit.
  explicit key_ring(int default_limit);

  /// Returns whom a full key speaks for and notes that it was used.
  std::optional<principal> find(std::string_view key);

  /// Replaces the snapshot.
  void replace(const std::vector<api_key>& keys,
               const std::vector<account>& accounts);

  /// Returns and forgets when keys were used.
  std::vector<std::pair<uuid, timestamp>> take_used();

  /// Number of active keys.
  size_t size() const;

private:
  using snapshot = std::unordered_map<std::string, principal>;

  int x_default_limit;
  std::atomic<std::shared_ptr<const snapshot>> x_snapshot;
  std::mutex x_used_mutex;
  std::unordered_map<uuid, timestamp> x_used;
};

/// Reads what `key_ring::replace` takes from a store.
caf::expected<std::pair<std::vector<api_key>, std::vector<account>>>
read_keys(storage::backend& db);

/// State of the KEY MANAGER.
struct key_manager_state {
  static inline const char* name = "key_manager";

  /// Whether the store is being read.
  bool reading = false;
  /// Whether it must be read again after that.
  bool again = false;
};

/// Behavior of the KEY MANAGER; reads the keys at once.
/// @param ring must outlive the actor.
key_manager_actor::behavior_type
key_manager(key_manager_actor::stateful_pointer<key_manager_state> self,
            key_ring* ring, const store_pool_actor& pool, metrics* counters);

} // namespace turnout
