#pragma once

#include "actors/interfaces.hpp"
#include "core/time.hpp"
#include "storage/backend.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <vector>

namespace turnout {

/// The secrets of visitor keys, by UTC day; for any thread.
class secret_box {
public:
  using secret = std::array<uint8_t, 32>;

  secret_box();

  /// Returns the secret of a day. A day that the store has not given one for
  /// yet (it was out of reach for more than a day) has one of this process.
  secret of(day_number day) const;

  /// Replaces the secrets by those of the store.
  void replace(const std::vector<storage::day_secret>& secrets);

private:
  using snapshot = std::map<day_number, secret>;

  /// Makes the secrets of days that the store has none for.
  secret x_fallback;
  std::atomic<std::shared_ptr<const snapshot>> x_secrets;
};

/// Returns the days whose secrets are needed now: yesterday, today, tomorrow.
std::vector<day_number> secret_days(timestamp at);

/// Behavior of the SECRET KEEPER.
/// @param box must outlive the actor.
secret_keeper_actor::behavior_type
secret_keeper(secret_keeper_actor::pointer self, secret_box* box,
              const store_pool_actor& pool);

} // namespace turnout
