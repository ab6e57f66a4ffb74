#pragma once

#include "plugins/sql/batch.hpp"
#include "plugins/sql/connection.hpp"
#include "plugins/sql/conversions.hpp"
#include "plugins/sql/event_tables.hpp"
#include "plugins/sql/failure.hpp"
#include "plugins/sql/rollups.hpp"
#include "storage/backend.hpp"
#include "storage/migrations.hpp"

#include <memory>
#include <optional>
#include <type_traits>

namespace turnout::plugins {

/// A backend on a database that understands the SQL of statements.hpp. Plugins
/// say how it is connected, what its errors mean, and how it takes events.
class sql_backend : public storage::backend {
public:
  // -- upkeep (upkeep.cpp, verify.cpp) ----------------------------------------

  caf::error ping() override;

  caf::expected<int> schema_version() override;

  int newest_schema_version() const override;

  caf::error migrate() override;

  caf::expected<std::vector<std::string>> verify(bool repair) override;

  // -- accounts and keys (accounts.cpp) ---------------------------------------

  caf::error add_account(const account& x) override;

  caf::expected<std::optional<account>>
  find_account(const std::string& email) override;

  caf::expected<std::vector<account>> list_accounts() override;

  caf::error update_account(const account& x) override;

  caf::error add_key(const api_key& x) override;

  caf::expected<std::vector<api_key>> list_keys() override;

  caf::expected<std::vector<api_key>>
  account_keys(const uuid& account_id) override;

  caf::error revoke_key(const uuid& account_id, const uuid& key_id) override;

  caf::error
  touch_keys(const std::vector<std::pair<uuid, timestamp>>& used) override;

  // -- sign-in (accounts.cpp) -------------------------------------------------

  caf::error add_refresh_token(const storage::refresh_token& x) override;

  caf::expected<storage::rotation>
  rotate_refresh_token(const std::string& hash, const std::string& next_hash,
                       timestamp at, timestamp expires_at) override;

  // -- sessions of the dashboard (web_sessions.cpp) ---------------------------

  caf::error add_web_session(const storage::web_session& x) override;

  caf::error end_web_session(const std::string& hash) override;

  caf::expected<std::vector<storage::web_session>>
  list_web_sessions(timestamp at) override;

  caf::expected<std::optional<storage::web_session>>
  find_web_session(const std::string& hash, timestamp at) override;

  // -- rate limits (rates.cpp) ------------------------------------------------

  caf::expected<std::vector<storage::admitted>>
  admit(const std::vector<storage::admission>& batch, int64_t hour) override;

  // -- links (links.cpp) ------------------------------------------------------

  caf::expected<storage::creation>
  create_link(const link& x,
              const std::optional<storage::idempotency>& once) override;

  std::vector<caf::expected<storage::creation>>
  create_links(const std::vector<storage::new_link>& batch) override;

  caf::expected<std::optional<link>>
  load_link(const std::string& slug) override;

  caf::expected<std::optional<link>> load_link(const uuid& id) override;

  caf::expected<link> save_link(const link& x) override;

  caf::expected<std::vector<stratum>> strata(row_key link_key) override;

  caf::expected<link_page> list_links(const uuid& account_id, int page,
                                      int per_page,
                                      const link_selection& which) override;

  caf::expected<std::vector<storage::counted_link>>
  links_before(const uuid& account_id,
               const std::optional<storage::link_place>& before,
               int limit) override;

  // -- events (events.cpp, conversion_store.cpp) ------------------------------

  caf::expected<storage::store_result>
  store_events(const storage::event_batch& batch) override;

  caf::expected<std::vector<storage::journal_range>>
  journal_positions(const uuid& node) override;

  caf::expected<storage::conversion_result>
  add_conversion(const uuid& account_id, const conversion_request& x) override;

  // -- reports (reports.cpp) --------------------------------------------------

  caf::expected<analytics_report> analytics(const uuid& account_id,
                                            const uuid& link_id,
                                            std::optional<day_number> from,
                                            std::optional<day_number> to,
                                            day_number today) override;

  caf::expected<click_page> clicks(const uuid& account_id, const uuid& link_id,
                                   const storage::click_range& range, int page,
                                   int per_page) override;

  caf::expected<std::vector<click_row>>
  clicks_before(const uuid& account_id, const uuid& link_id,
                const storage::click_range& range, const uuid& before,
                int limit) override;

  // -- winner (winner.cpp) ----------------------------------------------------

  caf::expected<std::optional<winner_evidence>>
  evidence(const uuid& link_id) override;

  caf::expected<storage::recommendation_result>
  add_recommendation(const recommendation& x) override;

  // -- secrets, changes, retention (feed.cpp) ---------------------------------

  caf::expected<std::vector<storage::day_secret>>
  day_secrets(const std::vector<day_number>& days) override;

  caf::expected<int64_t> last_change() override;

  caf::expected<std::vector<storage::change>>
  changes_since(int64_t seq) override;

  caf::expected<int64_t> purge_clicks(day_number before) override;

protected:
  /// What to do about an exception of the database.
  struct verdict {
    caf::error reason;
    /// Whether the same call may succeed at once when it is tried again.
    bool is_transient = false;
  };

  /// Returns the connection, opened anew if there is none.
  virtual connection& open() = 0;

  /// Drops the connection, and with it an open transaction.
  virtual void close() noexcept = 0;

  /// Translates the exception being handled, and drops the connection if it may
  /// not be in order.
  /// @param what the operation as in "Cannot <what>".
  virtual verdict handle_exception(const char* what) noexcept = 0;

  virtual const std::vector<storage::migration>& schema() const = 0;

  /// Keeps other processes from migrating until the transaction ends.
  virtual void lock_migrations(connection& /* db */) {
    // nop
  }

  /// Keeps other processes from storing events until the transaction ends.
  virtual void lock_events(connection& /* db */) {
    // nop
  }

  /// Called within a transaction that may take long, such as a migration.
  virtual void allow_long_work(connection& /* db */) {
    // nop
  }

  /// Called within the transaction of a batch of events, for which nobody
  /// waits.
  virtual void allow_slow_batch(connection& /* db */) {
    // nop
  }

  /// Called before the transaction of a batch.
  virtual void prepare_for(connection& /* db */,
                           const storage::event_batch& /* batch */) {
    // nop
  }

  virtual std::unique_ptr<event_tables> tables(connection& db) = 0;

  /// How often a call is tried that fails for a transient reason.
  static constexpr int default_tries = 10;

  /// Runs `f` with the connection and turns whatever it throws into an error.
  /// What fails for a transient reason is tried again a few times.
  /// @param what the operation as in "Cannot <what>".
  template <class F>
  auto attempt(const char* what, F f, int max_tries = default_tries) {
    using value = std::invoke_result_t<F, connection&>;
    using result = std::conditional_t<std::is_void_v<value>, caf::error,
                                      caf::expected<value>>;
    for (auto tries_left = max_tries;;) {
      try {
        if constexpr (std::is_void_v<value>) {
          f(open());
          return result{};
        } else {
          return result{f(open())};
        }
      } catch (failure& x) {
        return result{std::move(x.reason)};
      } catch (raced&) {
        if (--tries_left == 0)
          return result{make_error(ec::unavailable,
                                   std::string{"Cannot "} + what
                                     + ": too many do the same at once. Try "
                                       "again.")};
      } catch (...) {
        auto [reason, is_transient] = handle_exception(what);
        if (!is_transient || --tries_left == 0)
          return result{std::move(reason)};
      }
    }
  }

private:
  /// Counts all recent clicks of days before `before`.
  void settle(connection& db, day_number before);

  caf::expected<int> load_schema_version(int max_tries);
};

// -- shared by the parts of the backend ---------------------------------------

/// Returns the link of an account that is not deleted, without variants, or
/// fails with "Link not found".
link load_owned_link(connection& db, const uuid& account_id,
                     const uuid& link_id);

/// Adds the variants, retired ones last.
void load_variants(connection& db, link& x);

/// Appends to the change feed: the last of a transaction, as others that change
/// something may have to wait from here on.
void add_change(connection& db, storage::change::kind what, const uuid& id);

/// Makes the days before `before` days whose roll-ups are all there is. The
/// evidence has no days, so it is moved along with each click that is purged.
void move_clicks_horizon(connection& db, day_number before);

/// Writes what events add to the roll-ups and totals.
void flush(connection& db, event_tables& tables, const rollups& sums);

/// Records a planned conversion and adds it to `sums`. Returns false when one
/// with its id or event id is stored already.
bool record(connection& db, const conversion_plan& plan, rollups& sums);

/// Returns the click of an id; nullopt if there is none.
std::optional<stored_click> find_click(connection& db, const uuid& id);

/// Looks up for the rules of conversions.
class sql_conversion_source : public conversion_source {
public:
  /// @param visits clicks that are not in the table of visitors yet; may be
  ///               null.
  sql_conversion_source(connection& db, const batch_visits* visits)
    : x_db(db), x_visits(visits) {
    // nop
  }

  std::optional<conversion> by_event(row_key link_key,
                                     const std::string& event_id) override;

  std::optional<conversion> first_of(const uuid& click_id) override;

  std::optional<stored_click> find_click(const uuid& id) override;

  std::optional<stored_click>
  newest_click(row_key link_key, const conversion_request& x) override;

  row_key find_variant(row_key link_key, const uuid& id) override;

private:
  connection& x_db;
  const batch_visits* x_visits;
};

} // namespace turnout::plugins
