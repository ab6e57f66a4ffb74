#pragma once

#include "plugins/soci/batch.hpp"
#include "plugins/soci/connection.hpp"
#include "plugins/soci/conversions.hpp"
#include "plugins/soci/failure.hpp"
#include "plugins/soci/rollups.hpp"
#include "storage/backend.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <type_traits>

namespace turnout::sqlite {

using plugins::connection;
using plugins::fail;
using plugins::failure;
using plugins::transaction;

/// Keeps everything in the file `turnout.db` of the data directory. Several
/// processes may use it at once.
class sqlite_backend : public storage::backend {
public:
  explicit sqlite_backend(const storage::backend_settings& settings);

  // -- upkeep (sqlite_backend.cpp, verify.cpp) --------------------------------

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

  // -- rate limits (rates.cpp) ------------------------------------------------

  caf::expected<std::vector<storage::admitted>>
  admit(const std::vector<storage::admission>& batch, int64_t hour) override;

  // -- links (links.cpp) ------------------------------------------------------

  caf::expected<storage::creation>
  create_link(const link& x,
              const std::optional<storage::idempotency>& once) override;

  caf::expected<std::optional<link>>
  load_link(const std::string& slug) override;

  caf::expected<std::optional<link>> load_link(const uuid& id) override;

  caf::expected<link> save_link(const link& x) override;

  caf::expected<std::vector<stratum>> strata(row_key link_key) override;

  caf::expected<link_page> list_links(const uuid& account_id, int page,
                                      int per_page) override;

  // -- events (events.cpp, conversions.cpp) -----------------------------------

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

private:
  /// Returns the connection, opened anew if there is none.
  connection& open();

  void open_file();

  /// Runs `f` with the connection and turns whatever it throws into an error.
  /// @param what the operation as in "Cannot <what>".
  template <class F>
  auto attempt(const char* what, F f) {
    using value = std::invoke_result_t<F, connection&>;
    using result = std::conditional_t<std::is_void_v<value>, caf::error,
                                      caf::expected<value>>;
    try {
      if constexpr (std::is_void_v<value>) {
        f(open());
        return result{};
      } else {
        return result{f(open())};
      }
    } catch (failure& x) {
      return result{std::move(x.reason)};
    } catch (...) {
      return result{handle_exception(what)};
    }
  }

  /// Translates the exception being handled and drops the connection.
  caf::error handle_exception(const char* what) noexcept;

  std::filesystem::path x_directory;
  std::filesystem::path x_file;
  std::unique_ptr<connection> x_connection;
};

// -- shared by the parts of the backend ---------------------------------------

/// Returns the link of an account that is not deleted, without variants, or
/// fails with "Link not found".
link load_owned_link(connection& db, const uuid& account_id,
                     const uuid& link_id);

/// Adds the variants, retired ones last.
void load_variants(connection& db, link& x);

/// Reads the totals of links. There must be one at a time.
class totals_reader {
public:
  explicit totals_reader(connection& db);

  storage::link_totals read(row_key link_key);

private:
  plugins::bound_query<
    std::tuple<uuid, uuid, int64_t, int64_t, int64_t, int, int, int64_t>,
    row_key>
    x_query;
};

/// Appends to the change feed, within the transaction of the change.
void add_change(connection& db, storage::change::kind what, const uuid& id);

/// Writes what events add to the roll-ups and totals.
void flush(connection& db, const plugins::rollups& sums);

/// Records a planned conversion and adds it to `sums`. Returns false when a
/// conversion with its id is stored already.
bool record(connection& db, const plugins::conversion_plan& plan,
            plugins::rollups& sums);

/// Looks up for the rules of conversions.
class sqlite_conversion_source : public plugins::conversion_source {
public:
  /// @param visits clicks that are not in the table of visitors yet; may be
  ///               null.
  sqlite_conversion_source(connection& db, const plugins::batch_visits* visits)
    : x_db(db), x_visits(visits) {
    // nop
  }

  std::optional<conversion> by_event(row_key link_key,
                                     const std::string& event_id) override;

  std::optional<conversion> first_of(const uuid& click_id) override;

  std::optional<plugins::stored_click> find_click(const uuid& id) override;

  std::optional<plugins::stored_click>
  newest_click(row_key link_key, const conversion_request& x) override;

  row_key find_variant(row_key link_key, const uuid& id) override;

private:
  connection& x_db;
  const plugins::batch_visits* x_visits;
};

} // namespace turnout::sqlite
