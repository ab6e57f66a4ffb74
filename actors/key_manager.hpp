#pragma once

#include "actors/interfaces.hpp"
#include "core/model.hpp"
#include "monitoring/metrics.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace turnout {

/// What authentication reads: all active keys and sessions of the dashboard by
/// their hash, and accounts, in an immutable snapshot that the KEY MANAGER
/// replaces. May be read from any thread.
class key_ring {
public:
  /// @param default_limit requests per hour of accounts without an own limit.
  explicit key_ring(int default_limit);

  /// Returns whom a full key speaks for and notes that it was used.
  std::optional<principal> find(std::string_view key);

  /// Returns whom the cookie of a session of the dashboard speaks for; nullopt
  /// for an unknown or expired one.
  std::optional<session> find_session(std::string_view text,
                                      timestamp at) const;

  /// Returns an account as the owner of a session; nullopt for an unknown one.
  std::optional<principal> find_account(const uuid& id) const;

  /// Requests per hour of accounts without an own limit.
  int default_limit() const noexcept {
    return x_default_limit.load(std::memory_order_relaxed);
  }

  /// Changes it for what `replace` and `add` are given from now on. From any
  /// thread.
  void set_default_limit(int x) noexcept {
    x_default_limit.store(x, std::memory_order_relaxed);
  }

  // The following are for one thread at a time.

  /// Replaces the snapshot.
  void replace(const std::vector<api_key>& keys,
               const std::vector<account>& accounts,
               const std::vector<storage::web_session>& sessions = {});

  /// Adds a key, and its account if it is not known.
  void add(const std::string& hash, const principal& who);

  /// Removes a key.
  void remove(const uuid& key_id);

  /// Adds a session, and its account if it is not known.
  void add(const storage::web_session& x, const principal& who);

  /// Removes a session, and the others of its family.
  void remove_session(const std::string& hash);

  /// Returns when keys were used since the last call.
  std::vector<std::pair<uuid, timestamp>> take_used();

  /// Returns when a key was used last in this process.
  std::optional<timestamp> last_use(const uuid& key_id);

  /// Number of active keys.
  size_t size() const;

private:
  struct snapshot {
    std::unordered_map<std::string, principal> keys;
    std::unordered_map<uuid, principal> accounts;
    std::unordered_map<std::string, storage::web_session> sessions;
  };

  struct use {
    timestamp at;
    /// Whether `take_used` has returned it.
    bool taken = false;
  };

  std::atomic<int> x_default_limit;
  std::atomic<std::shared_ptr<const snapshot>> x_snapshot;
  std::mutex x_used_mutex;
  std::unordered_map<uuid, use> x_used;
};

/// What `key_ring::replace` takes.
struct key_ring_content {
  std::vector<api_key> keys;
  std::vector<account> accounts;
  std::vector<storage::web_session> sessions;
};

/// Reads the content of a key ring from a store.
caf::expected<key_ring_content> read_keys(storage::backend& db);

/// State of the KEY MANAGER.
struct key_manager_state {
  static inline const char* name = "key_manager";

  // Without it this is an aggregate, and CAF makes its first member, a bool,
  // of the pointer to the actor.
  key_manager_state() = default;

  /// Whether the store is being read or changed. One after the other, so that
  /// what was read before a change never replaces what it changed.
  bool busy = false;
  /// Whether it must be read after that.
  bool again = false;
  /// Changes for after that. Bounded by the requests that may be under way.
  std::deque<key_call_ptr> waiting;
};

/// Behavior of the KEY MANAGER; reads the keys at once.
/// @param ring must outlive the actor.
key_manager_actor::behavior_type
key_manager(key_manager_actor::stateful_pointer<key_manager_state> self,
            key_ring* ring, const store_pool_actor& pool, metrics* counters);

} // namespace turnout
