#pragma once

#include "actors/change_feed.hpp"
#include "actors/gate.hpp"
#include "actors/interfaces.hpp"
#include "actors/key_manager.hpp"
#include "actors/link_directory.hpp"
#include "actors/secret_keeper.hpp"
#include "actors/service.hpp"
#include "actors/sign_in_desk.hpp"
#include "actors/store_call.hpp"
#include "actors/turn_journal.hpp"
#include "config/settings.hpp"
#include "identity/session_verifier.hpp"
#include "monitoring/metrics.hpp"
#include "reactor/actor_system.hpp"
#include "reactor/reactor_pool.hpp"
#include "storage/plugin_loader.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace turnout {

/// Everything of a serving process between its HTTP servers and its store: the
/// actors, the journals, and what they share.
class node final : public service {
public:
  /// Starts the actors on the reactors, which must run. The store must be
  /// migrated. All references must outlive the node.
  /// @param give_up called once, from any thread, when the node can no longer
  ///                work; the process should end with a non-zero code.
  static caf::expected<std::unique_ptr<node>>
  start(const settings& options, storage::backend_factory open,
        reactor_pool& reactors, metrics& counters,
        std::function<void(std::string)> give_up);

  /// Must be stopped, and the reactors too.
  ~node() override;

  /// Drains what the store takes within `grace`, then ends all actors. No
  /// request may be under way any more; the reactors must still run.
  void stop(std::chrono::milliseconds grace);

  /// Takes over the limits that a reload may change. From one thread at a
  /// time, which may be any, before `stop`.
  void apply(const settings& options);

  // -- service ----------------------------------------------------------------

  void expect_visit(std::string_view slug) override;

  void resolve(visit_ptr x) override;

  void create(creation_request x, reply_ptr<creation_answer> reply) override;

  void with_link(const uuid& account_id, const uuid& link_id,
                 link_change change, reply_ptr<link> reply) override;

  void list_links(const uuid& account_id, int page, int per_page,
                  link_selection which, reply_ptr<link_page> reply) override;

  void analytics(const uuid& account_id, const uuid& link_id,
                 std::optional<day_number> from, std::optional<day_number> to,
                 reply_ptr<analytics_report> reply) override;

  void clicks(const uuid& account_id, const uuid& link_id,
              storage::click_range range, int page, int per_page,
              reply_ptr<click_page> reply) override;

  void winner(const uuid& account_id, const uuid& link_id,
              reply_ptr<winner_report> reply) override;

  void clicks_before(const uuid& account_id, const uuid& link_id,
                     storage::click_range range, const uuid& before, int limit,
                     reply_ptr<std::vector<click_row>> reply) override;

  void find_link(const uuid& link_id, reply_ptr<link> reply) override;

  void convert(const uuid& account_id, conversion_request x,
               reply_ptr<storage::conversion_result> reply) override;

  void journal(size_t reactor, const journal::event& x,
               std::function<void(bool committed)> then) override;

  void is_slug_free(std::string slug, reply_ptr<bool> reply) override;

  std::optional<principal> authenticate(std::string_view key) override;

  void admit(const principal& who, reply_ptr<rate_status> reply) override;

  void rate(const uuid& account_id, int limit,
            reply_ptr<rate_status> reply) override;

  void open_session(std::string token, bool may_wait,
                    reply_ptr<session> reply) override;

  void begin_web_session(const session& owner, const uuid& family,
                         reply_ptr<begun_session> reply) override;

  void open_web_session(std::string text, bool may_wait,
                        reply_ptr<session> reply) override;

  void end_web_session(std::string text, reply_ptr<bool> reply) override;

  void create_key(const session& owner, std::string name, key_type type,
                  reply_ptr<created_key> reply) override;

  void list_keys(const uuid& account_id,
                 reply_ptr<std::vector<api_key>> reply) override;

  void revoke_key(const uuid& account_id, const uuid& key_id,
                  reply_ptr<uuid> reply) override;

  void sign_in(std::string email, std::string password,
               reply_ptr<sign_in_answer> reply) override;

  void refresh_session(std::string refresh_token,
                       reply_ptr<sign_in_answer> reply) override;

  std::array<std::array<uint8_t, 32>, 2> visitor_secrets(timestamp at) override;

  std::string not_ready() override;

private:
  /// A handle that changes when its actor is restarted.
  template <class Handle>
  class slot {
  public:
    Handle get() const {
      const std::lock_guard guard{x_mutex};
      return x_handle;
    }

    /// Stores a handle and returns it untyped, for the ROOT SUPERVISOR.
    caf::actor set(Handle x) {
      const std::lock_guard guard{x_mutex};
      x_handle = std::move(x);
      return caf::actor_cast<caf::actor>(x_handle);
    }

    void clear() {
      const std::lock_guard guard{x_mutex};
      x_handle = nullptr;
    }

  private:
    mutable std::mutex x_mutex;
    Handle x_handle;
  };

  node(const settings& options, reactor_pool& reactors, metrics& counters);

  /// Prepares to issue and verify session tokens.
  caf::error prepare_sessions();

  /// Finds out whom valid claims speak for.
  session session_of(const identity::session_claims& claims) const;

  /// Returns what makes sure in the store that the owner of a session has an
  /// account: nothing when it is known.
  std::function<caf::error(storage::backend&)>
  account_maker(const session& owner, timestamp at) const;

  void sign_in(sign_in_call call);

  void spawn_identity(
    const std::function<void(std::string, std::function<caf::actor()>)>& add);

  /// Reads from the store what the actors start with, and opens the journals.
  caf::error prepare(const storage::backend_factory& open);

  void spawn_actors(storage::backend_factory open,
                    std::function<void(std::string)> give_up);

  /// Passes the links that ask for a recommendation to the WINNER JUDGE.
  void tell_judge(const std::vector<storage::link_totals>& x);

  template <class T, class Work>
  void read(const char* name, Work work, reply_ptr<T> reply);

  const settings& x_options;
  reactor_pool& x_reactors;
  metrics& x_counters;
  std::filesystem::path x_journal_dir;
  uuid x_id;
  int64_t x_first_change = 0;
  std::vector<std::unique_ptr<turn_journal>> x_journals;
  key_ring x_keys;
  std::atomic<int> x_links_per_account;
  secret_box x_secrets;
  token_issuer x_issuer;
  std::unique_ptr<identity::session_verifier> x_verifier;
  gate x_sign_ins;
  /// Ends a fetch of keys that is under way.
  std::atomic<bool> x_stopping = false;
  store_health x_health;
  link_directory x_directory;
  reactor_system_config x_system_config;
  std::unique_ptr<caf::actor_system> x_system;
  store_pool_actor x_pool;
  link_supervisor_actor x_supervisor;
  slot<key_manager_actor> x_key_manager;
  slot<rate_limiter_actor> x_limiter;
  slot<drain_actor> x_drain;
  slot<conversion_recorder_actor> x_recorder;
  slot<winner_judge_actor> x_judge;
  slot<jwks_keeper_actor> x_jwks_keeper;
  slot<sign_in_desk_actor> x_sign_in_desk;
  caf::actor x_root;
};

template <class T, class Work>
void node::read(const char* name, Work work, reply_ptr<T> reply) {
  // Answers from the worker's thread; a refused job answers by dropping the
  // reply.
  caf::anon_send(
    x_pool, store_job{name, [work = std::move(work),
                             reply = std::move(reply)](storage::backend& db) {
                        auto result = work(db);
                        const auto answered = has_answer(result);
                        reply->deliver(std::move(result));
                        return store_outcome{nullptr, answered};
                      }});
}

} // namespace turnout
