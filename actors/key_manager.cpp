#include "actors/key_manager.hpp"

#include "actors/store_call.hpp"
#include "core/identifiers.hpp"
#include "monitoring/log.hpp"

#include <caf/stateful_actor.hpp>

#include <chrono>
#include <unordered_set>
#include <utility>

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
  const auto known = x_snapshot.load();
  const auto i = known->keys.find(sha256_hex(key));
  if (i == known->keys.end())
    return std::nullopt;
  const std::lock_guard guard{x_used_mutex};
  x_used[i->second.key_id] = {now(), false};
  return i->second;
}

std::optional<session> key_ring::find_session(std::string_view text,
                                              timestamp at) const {
  const auto known = x_snapshot.load();
  const auto i = known->sessions.find(sha256_hex(text));
  if (i == known->sessions.end() || i->second.expires_at <= at)
    return std::nullopt;
  const auto owner = known->accounts.find(i->second.account_id);
  if (owner == known->accounts.end())
    return std::nullopt;
  return session{owner->second, i->second.email, i->second.expires_at};
}

std::optional<principal> key_ring::find_account(const uuid& id) const {
  const auto known = x_snapshot.load();
  const auto i = known->accounts.find(id);
  if (i == known->accounts.end())
    return std::nullopt;
  return i->second;
}

void key_ring::replace(const std::vector<api_key>& keys,
                       const std::vector<account>& accounts,
                       const std::vector<storage::web_session>& sessions) {
  auto next = std::make_shared<snapshot>();
  for (const auto& x : accounts) {
    principal owner;
    owner.account_id = x.id;
    owner.api_access = x.api_access;
    owner.rate_limit = x.rate_limit.value_or(default_limit());
    next->accounts.emplace(x.id, owner);
  }
  std::unordered_set<uuid> ids;
  for (const auto& key : keys) {
    const auto owner = next->accounts.find(key.account_id);
    if (owner == next->accounts.end() || !key.is_active)
      continue;
    auto who = owner->second;
    who.key_id = key.id;
    who.type = key.type;
    next->keys.emplace(key.hash, who);
    ids.insert(key.id);
  }
  for (const auto& x : sessions)
    next->sessions.emplace(x.hash, x);
  x_snapshot.store(std::move(next));
  const std::lock_guard guard{x_used_mutex};
  std::erase_if(x_used, [&](const auto& x) {
    return x.second.taken && !ids.contains(x.first);
  });
}

void key_ring::add(const std::string& hash, const principal& who) {
  auto next = std::make_shared<snapshot>(*x_snapshot.load());
  next->keys.insert_or_assign(hash, who);
  auto owner = who;
  owner.key_id = {};
  owner.type = key_type::secret;
  next->accounts.emplace(who.account_id, owner);
  x_snapshot.store(std::move(next));
}

void key_ring::remove(const uuid& key_id) {
  auto next = std::make_shared<snapshot>(*x_snapshot.load());
  std::erase_if(next->keys,
                [&](const auto& x) { return x.second.key_id == key_id; });
  x_snapshot.store(std::move(next));
}

void key_ring::add(const storage::web_session& x, const principal& who) {
  auto next = std::make_shared<snapshot>(*x_snapshot.load());
  std::erase_if(next->sessions, [&](const auto& y) {
    return y.second.expires_at <= x.created_at;
  });
  next->sessions.insert_or_assign(x.hash, x);
  next->accounts.emplace(x.account_id, who);
  x_snapshot.store(std::move(next));
}

void key_ring::remove_session(const std::string& hash) {
  auto next = std::make_shared<snapshot>(*x_snapshot.load());
  const auto i = next->sessions.find(hash);
  if (i == next->sessions.end())
    return;
  const auto family = i->second.family;
  next->sessions.erase(i);
  if (family)
    std::erase_if(next->sessions,
                  [&](const auto& y) { return y.second.family == family; });
  x_snapshot.store(std::move(next));
}

std::vector<std::pair<uuid, timestamp>> key_ring::take_used() {
  const std::lock_guard guard{x_used_mutex};
  std::vector<std::pair<uuid, timestamp>> result;
  for (auto& [id, x] : x_used)
    if (!std::exchange(x.taken, true))
      result.emplace_back(id, x.at);
  return result;
}

std::optional<timestamp> key_ring::last_use(const uuid& key_id) {
  const std::lock_guard guard{x_used_mutex};
  const auto i = x_used.find(key_id);
  if (i == x_used.end())
    return std::nullopt;
  return i->second.at;
}

size_t key_ring::size() const {
  return x_snapshot.load()->keys.size();
}

// -- behavior -----------------------------------------------------------------

caf::expected<key_ring_content> read_keys(storage::backend& db) {
  auto keys = db.list_keys();
  if (!keys)
    return keys.error();
  auto accounts = db.list_accounts();
  if (!accounts)
    return accounts.error();
  auto sessions = db.list_web_sessions(now());
  if (!sessions)
    return sessions.error();
  return key_ring_content{std::move(*keys), std::move(*accounts),
                          std::move(*sessions)};
}

namespace {

using manager_pointer = key_manager_actor::stateful_pointer<key_manager_state>;

/// What the manager works with.
struct manager_tools {
  key_ring* ring;
  store_pool_actor pool;
  metrics* counters;
};

void next(manager_pointer self, const manager_tools& tools);

void finish(manager_pointer self, const manager_tools& tools) {
  self->state.busy = false;
  tools.counters->keys_active->Set(static_cast<double>(tools.ring->size()));
  next(self, tools);
}

void read_keys_again(manager_pointer self, const manager_tools& tools) {
  self->state.again = false;
  store_call<key_ring_content>(
    self, tools.pool, "list_keys", read_keys,
    [=](caf::expected<key_ring_content>& result) {
      if (result) {
        tools.ring->replace(result->keys, result->accounts, result->sessions);
      } else {
        log::warning("keys not read, trying again",
                     {{"error", detail(result.error())}});
        self->delayed_send(self, retry_interval, reload_atom::value);
      }
      finish(self, tools);
    });
}

void change_keys(manager_pointer self, const manager_tools& tools,
                 const key_call_ptr& call) {
  store_call<void>(
    self, tools.pool, call->name,
    [call](storage::backend& db) { return to_expected(call->store(db)); },
    [=](caf::expected<void>& result) {
      if (result)
        call->apply(*tools.ring);
      call->done(result ? caf::error{} : result.error());
      finish(self, tools);
    });
}

/// Does what is to be done next, if nothing is under way.
void next(manager_pointer self, const manager_tools& tools) {
  auto& st = self->state;
  if (st.busy || (!st.again && st.waiting.empty()))
    return;
  st.busy = true;
  if (st.again)
    return read_keys_again(self, tools);
  auto call = std::move(st.waiting.front());
  st.waiting.pop_front();
  change_keys(self, tools, call);
}

} // namespace

key_manager_actor::behavior_type key_manager(manager_pointer self,
                                             key_ring* ring,
                                             const store_pool_actor& pool,
                                             metrics* counters) {
  const manager_tools tools{ring, pool, counters};
  self->state.again = true;
  next(self, tools);
  self->delayed_send(self, touch_interval, tick_atom::value);
  return {
    [=](reload_atom) {
      self->state.again = true;
      next(self, tools);
    },
    [=](const key_call_ptr& call) {
      self->state.waiting.push_back(call);
      next(self, tools);
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
