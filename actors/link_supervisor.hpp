#pragma once

#include "actors/interfaces.hpp"
#include "actors/link_directory.hpp"
#include "actors/link_usage.hpp"
#include "config/settings.hpp"
#include "monitoring/metrics.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace turnout {

/// What the LINK SUPERVISOR works with; everything outlives it.
struct link_supervisor_tools {
  const settings* options = nullptr;
  metrics* counters = nullptr;
  link_directory* directory = nullptr;
  store_pool_actor pool;
  /// Called with each change of a link that was stored; may be empty.
  std::function<void(const link&)> link_saved = {};
  /// Links an account may have, 0 for no limit, where a reload may change it;
  /// without it that of `options` holds.
  const std::atomic<int>* links_per_account = nullptr;

  int per_account() const noexcept {
    return links_per_account != nullptr ? links_per_account->load()
                                        : options->links.per_account;
  }
};

/// Slugs whose links one job loads. It takes more until a STORE WORKER has
/// time for it; from any thread.
class slug_batch {
public:
  using clock = std::chrono::steady_clock;

  /// Enough to share the way to a STORE WORKER and back, few enough that the
  /// first does not wait long for the last.
  static constexpr size_t max_slugs = 32;

  /// How long slugs may be added: a job that has waited for too long is
  /// refused, whenever they came.
  static constexpr auto max_age = std::chrono::seconds{1};

  /// @returns false when it was taken, is full or too old.
  bool add(const std::string& slug) {
    std::lock_guard guard{x_mtx};
    if (x_taken || x_slugs.size() >= max_slugs
        || clock::now() - x_begin > max_age)
      return false;
    x_slugs.push_back(slug);
    return true;
  }

  /// Lets nobody add to it any more.
  /// @returns what was added, which no longer changes.
  const std::vector<std::string>& take() {
    std::lock_guard guard{x_mtx};
    x_taken = true;
    return x_slugs;
  }

private:
  std::mutex x_mtx;
  bool x_taken = false;
  std::vector<std::string> x_slugs;
  const clock::time_point x_begin = clock::now();
};

/// State of the LINK SUPERVISOR.
struct link_supervisor_state {
  static inline const char* name = "link_supervisor";

  /// A LINK that lives.
  struct loaded {
    link_actor handle;
    std::string slug;
    std::shared_ptr<link_usage> usage;
    /// Whether it is on its way out of memory.
    bool leaving = false;
  };

  /// A creation under way.
  struct new_link {
    creation_call_ptr call;
    /// Whether the slug is ours to choose.
    bool is_slug_made = false;
    /// Counts from 1.
    size_t attempt = 1;
    /// The answer once it is stored.
    std::string body;
  };

  link_supervisor_tools tools;
  std::unordered_map<uuid, loaded> links;
  /// The same by slug; the keys are theirs.
  std::unordered_map<std::string_view, loaded*> by_slug;
  /// The bucket of `links` at which the search for idle ones goes on.
  size_t next_bucket = 0;
  /// Visits and calls that wait for a link to be loaded.
  std::unordered_map<std::string, std::vector<visit_ptr>> visits;
  std::unordered_map<uuid, std::vector<link_call_ptr>> calls;
  /// Slugs that are loaded next; null before the first.
  std::shared_ptr<slug_batch> next_load;
  /// Jobs under way that load links of slugs.
  size_t load_jobs = 0;
  /// Slugs whose links were changed by others while they are being loaded.
  std::unordered_set<std::string> stale;
  /// Idempotency keys of creations under way, by account.
  std::set<std::pair<uuid, std::string>> running;
  /// What waits for the batch that is being stored. Bounded by the requests
  /// that may be under way.
  std::deque<new_link> unstored;
  bool storing = false;
  /// Links made here whose making the CHANGE FEED has not told yet: nobody else
  /// can have changed them before, so that this is no news.
  std::unordered_set<uuid> made;
};

/// Behavior of the LINK SUPERVISOR.
link_supervisor_actor::behavior_type link_supervisor(
  link_supervisor_actor::stateful_pointer<link_supervisor_state> self,
  const link_supervisor_tools& tools);

} // namespace turnout
