#pragma once

#include "core/identifiers.hpp"
#include "storage/plugin_loader.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace turnout::test {

/// What the backends of a test share: a small store in memory that counts
/// calls and fails on demand.
struct memory_store {
  std::mutex mutex;
  std::map<uuid, link> links;
  std::map<std::string, int> calls;
  std::map<int, int64_t> positions;
  std::vector<storage::event_batch> batches;
  /// What `store_events` says.
  bool is_conversion_waiting = false;
  std::vector<account> accounts;
  std::vector<api_key> keys;
  std::map<uuid, winner_evidence> evidence;
  /// Requests that passed, by hour and account.
  std::map<std::pair<int64_t, uuid>, int> used;
  /// What `admit` was asked.
  std::vector<std::vector<storage::admission>> admissions;
  std::vector<storage::refresh_token> refresh_tokens;
  std::vector<storage::web_session> web_sessions;
  row_key next_key = 1;
  /// Called at the start of every call, outside the lock; may wait or throw.
  std::function<void(const std::string& call)> hook;
  /// Says which slugs are taken beside those of the links.
  std::function<bool(const std::string& slug)> is_taken;
  /// Calls of `create_links`.
  std::atomic<int> batches_of_links = 0;
  /// Whether every call fails as if the database were gone.
  std::atomic<bool> down = false;

  int count(const std::string& call) {
    const std::lock_guard guard{mutex};
    return calls[call];
  }

  const link& add(link x) {
    const std::lock_guard guard{mutex};
    return links.insert_or_assign(x.id, std::move(x)).first->second;
  }
};

/// A connection to a `memory_store`.
class memory_backend : public storage::backend {
public:
  explicit memory_backend(std::shared_ptr<memory_store> store)
    : x_store(std::move(store)) {
    // nop
  }

  caf::error ping() override {
    return enter("ping");
  }

  caf::expected<int> schema_version() override {
    return 1;
  }

  int newest_schema_version() const override {
    return 1;
  }

  caf::error migrate() override {
    return enter("migrate");
  }

  caf::expected<std::vector<std::string>> verify(bool) override {
    return std::vector<std::string>{};
  }

  caf::error add_account(const account& x) override {
    if (auto err = enter("add_account"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    for (const auto& y : x_store->accounts)
      if (y.id == x.id || (!x.email.empty() && y.email == x.email))
        return make_error(ec::conflict, "taken");
    x_store->accounts.push_back(x);
    return caf::none;
  }

  caf::expected<std::optional<account>>
  find_account(const std::string& email) override {
    if (auto err = enter("find_account"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    for (const auto& x : x_store->accounts)
      if (x.email == email)
        return std::optional{x};
    return std::optional<account>{};
  }

  caf::expected<std::vector<account>> list_accounts() override {
    if (auto err = enter("list_accounts"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    return x_store->accounts;
  }

  caf::error update_account(const account&) override {
    return enter("update_account");
  }

  caf::error add_key(const api_key& x) override {
    if (auto err = enter("add_key"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    x_store->keys.push_back(x);
    return caf::none;
  }

  caf::expected<std::vector<api_key>> list_keys() override {
    if (auto err = enter("list_keys"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    return x_store->keys;
  }

  caf::expected<std::vector<api_key>>
  account_keys(const uuid& account_id) override {
    if (auto err = enter("account_keys"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    std::vector<api_key> result;
    for (const auto& x : x_store->keys)
      if (x.account_id == account_id)
        result.push_back(x);
    return result;
  }

  caf::error revoke_key(const uuid& account_id, const uuid& key_id) override {
    if (auto err = enter("revoke_key"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    const auto n = std::erase_if(x_store->keys, [&](const api_key& x) {
      return x.account_id == account_id && x.id == key_id;
    });
    if (n == 0)
      return make_error(ec::not_found, "API key not found");
    return caf::none;
  }

  caf::error add_refresh_token(const storage::refresh_token& x) override {
    if (auto err = enter("add_refresh_token"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    x_store->refresh_tokens.push_back(x);
    return caf::none;
  }

  caf::expected<storage::rotation> rotate_refresh_token(const std::string&,
                                                        const std::string&,
                                                        timestamp,
                                                        timestamp) override {
    if (auto err = enter("rotate_refresh_token"))
      return err;
    return storage::rotation{};
  }

  caf::error add_web_session(const storage::web_session& x) override {
    if (auto err = enter("add_web_session"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    x_store->web_sessions.push_back(x);
    return caf::none;
  }

  caf::error end_web_session(const std::string& hash) override {
    if (auto err = enter("end_web_session"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    std::erase_if(x_store->web_sessions,
                  [&](const auto& x) { return x.hash == hash; });
    return caf::none;
  }

  caf::expected<std::vector<storage::web_session>>
  list_web_sessions(timestamp) override {
    const std::lock_guard guard{x_store->mutex};
    return x_store->web_sessions;
  }

  caf::expected<std::optional<storage::web_session>>
  find_web_session(const std::string&, timestamp) override {
    return std::optional<storage::web_session>{};
  }

  caf::error
  touch_keys(const std::vector<std::pair<uuid, timestamp>>&) override {
    return enter("touch_keys");
  }

  caf::expected<storage::creation>
  create_link(const link& x,
              const std::optional<storage::idempotency>&) override {
    if (auto err = enter("create_link"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    if (x_store->is_taken && x_store->is_taken(x.slug))
      return make_error(ec::conflict, "slug");
    for (const auto& [id, other] : x_store->links)
      if (other.slug == x.slug)
        return make_error(ec::conflict, "slug");
    auto stored = x;
    stored.key = x_store->next_key++;
    stored.version = 1;
    x_store->links.emplace(x.id, stored);
    return storage::creation{std::move(stored), false, {}};
  }

  std::vector<caf::expected<storage::creation>>
  create_links(const std::vector<storage::new_link>& batch) override {
    ++x_store->batches_of_links;
    return backend::create_links(batch);
  }

  caf::expected<std::optional<link>>
  load_link(const std::string& slug) override {
    if (auto err = enter("load_link"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    for (const auto& [id, x] : x_store->links)
      if (x.slug == slug)
        return std::optional{x};
    return std::optional<link>{};
  }

  caf::expected<std::optional<link>> load_link(const uuid& id) override {
    if (auto err = enter("load_link"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    if (auto i = x_store->links.find(id); i != x_store->links.end())
      return std::optional{i->second};
    return std::optional<link>{};
  }

  caf::expected<link> save_link(const link& x) override {
    if (auto err = enter("save_link"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    auto& stored = x_store->links[x.id];
    if (stored.version != x.version)
      return make_error(ec::stale, "changed meanwhile");
    stored = x;
    ++stored.version;
    return stored;
  }

  caf::expected<std::vector<stratum>> strata(row_key) override {
    return std::vector<stratum>{};
  }

  caf::expected<link_page> list_links(const uuid&, int, int,
                                      const link_selection&) override {
    if (auto err = enter("list_links"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    link_page result;
    result.total = static_cast<int64_t>(x_store->links.size());
    return result;
  }

  caf::expected<std::vector<storage::counted_link>>
  links_before(const uuid&, const std::optional<storage::link_place>&,
               int) override {
    if (auto err = enter("links_before"))
      return err;
    return std::vector<storage::counted_link>{};
  }

  caf::expected<storage::store_result>
  store_events(const storage::event_batch& batch) override {
    if (auto err = enter("store_events"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    if (!batch.is_part)
      for (const auto& x : batch.ranges)
        x_store->positions[x.journal] = x.last;
    x_store->batches.push_back(batch);
    storage::store_result result;
    result.clicks = static_cast<int64_t>(batch.clicks.size());
    result.is_conversion_waiting = x_store->is_conversion_waiting;
    return result;
  }

  caf::expected<std::vector<storage::journal_range>>
  journal_positions(const uuid&) override {
    if (auto err = enter("journal_positions"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    std::vector<storage::journal_range> result;
    for (const auto& [journal, last] : x_store->positions)
      result.push_back({journal, last});
    return result;
  }

  caf::expected<storage::conversion_result>
  add_conversion(const uuid&, const conversion_request&) override {
    if (auto err = enter("add_conversion"))
      return err;
    return make_error(ec::not_found, "Click not found");
  }

  caf::expected<std::vector<storage::day_secret>>
  day_secrets(const std::vector<day_number>& days) override {
    if (auto err = enter("day_secrets"))
      return err;
    std::vector<storage::day_secret> result;
    for (const auto day : days) {
      storage::day_secret x;
      x.day = day;
      x.secret.fill(static_cast<uint8_t>(day));
      result.push_back(x);
    }
    return result;
  }

  caf::expected<analytics_report> analytics(const uuid&, const uuid&,
                                            std::optional<day_number>,
                                            std::optional<day_number>,
                                            day_number) override {
    if (auto err = enter("analytics"))
      return err;
    return make_error(ec::not_found, "Link not found");
  }

  caf::expected<click_page> clicks(const uuid&, const uuid&,
                                   const storage::click_range&, int,
                                   int) override {
    if (auto err = enter("clicks"))
      return err;
    return make_error(ec::not_found, "Link not found");
  }

  caf::expected<std::optional<winner_evidence>>
  evidence(const uuid& link_id) override {
    if (auto err = enter("evidence"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    auto i = x_store->evidence.find(link_id);
    if (i == x_store->evidence.end())
      return std::optional<winner_evidence>{};
    return std::optional{i->second};
  }

  caf::expected<storage::recommendation_result>
  add_recommendation(const recommendation& x) override {
    if (auto err = enter("add_recommendation"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    for (auto& [id, y] : x_store->evidence) {
      if (y.subject.key != x.link_key)
        continue;
      const auto added = !y.recommended;
      if (added)
        y.recommended = x;
      return storage::recommendation_result{*y.recommended, added};
    }
    return make_error(ec::not_found, "Link not found");
  }

  caf::expected<std::vector<click_row>>
  clicks_before(const uuid&, const uuid&, const storage::click_range&,
                const uuid&, int) override {
    if (auto err = enter("clicks_before"))
      return err;
    return make_error(ec::not_found, "Link not found");
  }

  caf::expected<std::vector<storage::admitted>>
  admit(const std::vector<storage::admission>& batch, int64_t hour) override {
    if (auto err = enter("admit"))
      return err;
    const std::lock_guard guard{x_store->mutex};
    x_store->admissions.push_back(batch);
    std::vector<storage::admitted> result;
    for (const auto& x : batch) {
      auto& used = x_store->used[{hour, x.account_id}];
      auto& y = result.emplace_back();
      y.used_before = used;
      used += std::min(x.count, std::max(0, x.limit - used));
      y.used_after = used;
    }
    return result;
  }

  caf::expected<int64_t> last_change() override {
    return 0;
  }

  caf::expected<std::vector<storage::change>> changes_since(int64_t) override {
    if (auto err = enter("changes_since"))
      return err;
    return std::vector<storage::change>{};
  }

private:
  caf::error enter(const char* call) {
    std::function<void(const std::string&)> hook;
    {
      const std::lock_guard guard{x_store->mutex};
      ++x_store->calls[call];
      hook = x_store->hook;
    }
    if (hook)
      hook(call);
    if (x_store->down)
      return make_error(ec::unavailable, "the database is gone");
    return caf::none;
  }

  std::shared_ptr<memory_store> x_store;
};

inline storage::backend_factory
open_memory(const std::shared_ptr<memory_store>& store) {
  return [store]() -> caf::expected<storage::backend_ptr> {
    return storage::backend_ptr{new memory_backend{store}};
  };
}

/// Makes a link of two variants, A and B, with the given weights.
inline link make_link(const std::string& slug, int a = 50, int b = 50) {
  link x;
  x.created_at = x.updated_at = now();
  x.id = make_uuid(x.created_at);
  x.key = 7;
  x.user_id = make_uuid(x.created_at);
  x.slug = slug;
  x.name = slug;
  x.version = 1;
  const auto add = [&](const char* label, int weight) {
    variant v;
    v.id = make_uuid(x.created_at);
    v.key = static_cast<row_key>(x.variants.size()) + 1;
    v.label = label;
    v.destination_url = std::string{"https://"} + label + ".example/";
    v.weight = weight;
    v.position = static_cast<int>(x.variants.size());
    x.variants.push_back(std::move(v));
  };
  add("a", a);
  add("b", b);
  return x;
}

} // namespace turnout::test
