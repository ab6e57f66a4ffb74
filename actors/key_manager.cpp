#include "actors/key_manager.hpp"

#include "actors/store_call.hpp"
#include "core/identifiers.hpp"
#include "monitoring/log.hpp"

#include <caf/stateful_actor.hpp>

#include <chrono>

namespace turnout {

namespace {

/// How often `last_used_at` is stored.
constexpr auto touch_interval = std::chrono::seconds{5};

/// How soon the store is asked again after it did not answer.
constexpr auto retry_interval = std::chrono::seconds{1};

} // namespace

// -- key ring -----------------------------------------------------------------

key_ring::key_ring(int default_limit)
  : x_default_limit(default_limit),
    x_snapshot(std::make_shared<const snapshot>()) {
  // nop
}

std::optional<principal> key_ring::find(std::string_view key) {
  if (!type_of_key(key))
    return std::nullopt;
  const auto keys = x_snapshot.load();
  const auto i = keys->find(sha256_hex(key));
  if (i == keys->end())
    return std::nullopt;
  const std::lock_guard guard{x_used_mutex};
  x_used[i->second.key_id] = now();
  return i->second;
}

void key_ring::replace(const std::vector<api_key>& keys,
                       const std::vector<account>& accounts) {
  std::unordered_map<uuid, const account*> owners;
  for (const auto& x : accounts)
    owners.emplace(x.id, &x);
  auto next = std::make_shared<snapshot>();
  for (const auto& key : keys) {
    const auto owner = owners.find(key.account_id);
    if (owner == owners.end() || !key.is_active)
      continue;
    next->emplace(
      key.hash,
      principal{key.account_id, key.id, key.type, owner->second->api_access,
                owner->second->rate_limit.value_or(x_default_limit)});
  }
  x_snapshot.store(std::move(next));
}

std::vector<std::pair<uuid, timestamp>> key_ring::take_used() {
  const std::lock_guard guard{x_used_mutex};
  std::vector<std::pair<uuid, timestamp>> result{x_used.begin(), x_used.end()};
  x_used.clear();
  return result;
}

size_t key_ring::size() const {
  return x_snapshot.load()->size();
}

// -- behavior -----------------------------------------------------------------

using keys_and_accounts = std::pair<std::vector<api_key>, std::vector<account>>;

caf::expected<keys_and_accounts> read_keys(storage::backend& db) {
  auto keys = db.list_keys();
  if (!keys)
    return keys.error();
  auto accounts = db.list_accounts();
  if (!accounts)
    return accounts.error();
  return keys_and_accounts{std::move(*keys), std::move(*accounts)};
}

namespace {

using manager_pointer = key_manager_actor::stateful_pointer<key_manager_state>;

void read_again(manager_pointer self, key_ring* ring,
                const store_pool_actor& pool, metrics* counters) {
  self->state.reading = true;
  self->state.again = false;
  store_call<keys_and_accounts>(
    self, pool, "list_keys", read_keys,
    [=](caf::expected<keys_and_accounts>& result) {
      self->state.reading = false;
      if (!result) {
        log::warning("keys not read, trying again",
                     {{"error", detail(result.error())}});
        self->delayed_send(self, retry_interval, reload_atom::value);
        return;
      }
      ring->replace(result->first, result->second);
      counters->keys_active->Set(static_cast<double>(ring->size()));
      if (self->state.again)
        read_again(self, ring, pool, counters);
    });
}

} // namespace

key_manager_actor::behavior_type key_manager(manager_pointer self,
                                             key_ring* ring,
                                             const store_pool_actor& pool,
                                             metrics* counters) {
  read_again(self, ring, pool, counters);
  self->delayed_send(self, touch_interval, tick_atom::value);
  return {
    [=](reload_atom) {
      if (self->state.reading)
        self->state.again = true;
      else
        read_again(self, ring, pool, counters);
    },
    [=](tick_atom) {
      self->delayed_send(self, touch_interval, tick_atom::value);
      auto used = ring->take_used();
      if (used.empty())
        return;
      store_call<void>(
        self, pool, "touch_keys",
        [used = std::move(used)](storage::backend& db) {
          return to_expected(db.touch_keys(used));
        },
        [](caf::expected<void>& result) {
          if (!result)
            log::warning("last use of keys not stored",
                         {{"error", detail(result.error())}});
        });
    },
  };
}

} // namespace turnout
