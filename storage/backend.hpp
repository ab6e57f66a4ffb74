#pragma once

#include "core/error.hpp"
#include "core/event.hpp"
#include "core/link_selection.hpp"
#include "core/model.hpp"
#include "core/report.hpp"
#include "core/winner_report.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace turnout::storage {

/// Makes a request with an Idempotency-Key repeatable.
struct idempotency {
  std::string key;
  /// Hex SHA-256 of the canonical JSON body.
  std::string body_hash;
  /// The answer to give to a retry: the body of the 201.
  std::string response;
};

/// A link to be stored.
struct new_link {
  link draft;
  /// Given for a request with an Idempotency-Key.
  std::optional<idempotency> once;
};

/// What `create_link` did.
struct creation {
  /// The stored link with its row keys; default when `replayed`.
  link created;
  /// Whether a former request with the same key made the link already.
  bool replayed = false;
  /// The former answer's body when `replayed`.
  std::string response;
};

/// What a drained click adds to the breakdowns, computed from the click.
struct click_classes {
  /// By `dimension`; "unknown" for null.
  std::array<std::string, num_dimensions> values;
};

/// The events of one journal in a batch.
struct journal_range {
  /// Number of the journal within the node.
  int journal = 0;
  /// Position of the last event of this batch in that journal.
  int64_t last = 0;
};

/// Events of one node, to be stored exactly once. Events keep the order of
/// their journals; `position` belongs to the event of the same index.
struct event_batch {
  struct place {
    int journal = 0;
    int64_t position = 0;
  };
  uuid node;
  std::vector<journal_range> ranges;
  /// Whether more events of the ranges follow, so that the positions stay. Of
  /// what was stored before, only clicks are known when they come again.
  bool is_part = false;
  std::vector<click> clicks;
  std::vector<click_classes> classes;
  std::vector<place> click_places;
  std::vector<excluded_visit> excluded;
  std::vector<place> excluded_places;
  std::vector<conversion_request> conversions;
  std::vector<place> conversion_places;
};

/// New totals of a link that a batch or a conversion touched.
struct link_totals {
  uuid link_id;
  /// Whether the link asks for a recommendation.
  bool auto_winner = false;
  /// `link::version` at that time.
  int64_t version = 0;
  /// The last conversion that was recorded; none if none was.
  uuid last_conversion;
  std::vector<variant_totals> variants;
};

/// What `store_events` did; `totals` at least of links that ask for a winner.
struct store_result {
  int64_t clicks = 0;
  int64_t excluded = 0;
  int64_t conversions = 0;
  /// Conversions that found no click so far, or were repeats.
  int64_t conversions_dropped = 0;
  /// Whether conversions wait for a click that another node may be storing now:
  /// the next call, even without events, looks again.
  bool is_conversion_waiting = false;
  /// Events that were stored before and skipped now.
  int64_t replayed = 0;
  /// Events that name a link or variant the store does not have.
  int64_t orphans = 0;
  std::vector<link_totals> totals;
};

/// What `add_conversion` did.
struct conversion_result {
  conversion recorded;
  /// Whether it is new; otherwise the first result of a repeat.
  bool created = true;
  link_totals totals;
};

/// What `add_recommendation` did.
struct recommendation_result {
  /// The recommendation of the link and generation, as it was first stored.
  recommendation stored;
  /// Whether it is the one that was to be added.
  bool added = false;
};

/// A refresh token of the built-in sign-in, as it is stored.
struct refresh_token {
  /// Hex SHA-256 of the token.
  std::string hash;
  /// What all tokens that came from one sign-in by rotation share.
  uuid family;
  uuid account_id;
  timestamp created_at;
  timestamp expires_at;
};

/// What `rotate_refresh_token` did.
struct rotation {
  enum class outcome : uint8_t {
    /// The next token is stored in its place.
    rotated,
    /// There is no such token, or no more.
    unknown,
    /// It was rotated before: somebody else has it too. The family is gone.
    reused,
  };
  outcome what = outcome::unknown;
  /// Whose token it is, when rotated.
  account owner;
  /// The family of the token, when rotated.
  uuid family;
};

/// A session of the dashboard, as it is stored.
struct web_session {
  /// Hex SHA-256 of the cookie's value.
  std::string hash;
  /// Of the refresh tokens that came from the same sign-in; none when there are
  /// none.
  uuid family;
  uuid account_id;
  /// Empty when it is not known.
  std::string email;
  timestamp created_at;
  timestamp expires_at;
};

/// One entry of the change feed.
struct change {
  enum class kind : uint8_t { link, key, account };
  int64_t seq = 0;
  kind what = kind::link;
  uuid id;
};

/// Secrets for visitor keys of one UTC day.
struct day_secret {
  day_number day = 0;
  /// 32 bytes.
  std::array<uint8_t, 32> secret{};
};

/// Where a link stands in the list of links.
struct link_place {
  timestamp created_at;
  uuid id;
};

/// A link with the clicks that were counted on it.
struct counted_link {
  link subject;
  int64_t clicks = 0;
};

/// Bounds of a click list; both ends are inclusive at the start and exclusive
/// at the end.
struct click_range {
  /// nullopt: from the first click on.
  std::optional<timestamp> from;
  /// nullopt: to the last click.
  std::optional<timestamp> until;
};

/// API requests of an account that want to pass in one UTC hour.
struct admission {
  uuid account_id;
  /// Requests that may pass in the hour, at least 0.
  int limit = 0;
  /// How many want to pass; 0 only asks.
  int count = 0;
};

/// How many requests of an account have passed in an hour: the difference is
/// how many of those that wanted to pass may.
struct admitted {
  int used_before = 0;
  int used_after = 0;
};

/// A connection to a store. Every call blocks, is atomic, and may be made from
/// one thread at a time; open one backend per thread. Failures of the database
/// come back as `ec::unavailable` with what failed and what to do; the
/// connection is opened again by the next call. No call throws.
class backend {
public:
  virtual ~backend() = default;

  /// Sets what may be called now and then, by whoever stores events, while they
  /// are stored: a chance to leave the core to others. It must neither throw
  /// nor use the backend.
  virtual void on_progress(std::function<void()> /* f */) {
    // nop
  }

  // -- upkeep -----------------------------------------------------------------

  /// Succeeds when the database answers.
  virtual caf::error ping() = 0;

  /// Returns the version of the stored schema, 0 for an empty store.
  virtual caf::expected<int> schema_version() = 0;

  /// Returns the version of the schema that this plugin works on.
  virtual int newest_schema_version() const = 0;

  /// Brings the schema to the newest version, one transaction per step; safe
  /// when several processes do it at once. Fails with `ec::schema_too_new`
  /// when the store was made by a newer plugin.
  virtual caf::error migrate() = 0;

  /// Recomputes every roll-up and total from the raw events and returns one
  /// line per difference. With `repair`, writes what it computed.
  virtual caf::expected<std::vector<std::string>> verify(bool repair) = 0;

  // -- accounts and keys ------------------------------------------------------

  /// Adds an account. Fails with `ec::conflict` when the id or the e-mail
  /// address (compared without case) is taken.
  virtual caf::error add_account(const account& x) = 0;

  /// Returns an account by e-mail address, compared without case.
  virtual caf::expected<std::optional<account>>
  find_account(const std::string& email) = 0;

  /// Returns all accounts, oldest first.
  virtual caf::expected<std::vector<account>> list_accounts() = 0;

  /// Stores `api_access`, `rate_limit` and `password_hash` of an account.
  /// Fails with `ec::not_found`.
  virtual caf::error update_account(const account& x) = 0;

  /// Adds a key. Fails with `ec::conflict` when the same key exists.
  virtual caf::error add_key(const api_key& x) = 0;

  /// Returns the keys of every account, revoked ones left out.
  virtual caf::expected<std::vector<api_key>> list_keys() = 0;

  /// Returns the keys of an account, oldest first, revoked ones left out.
  virtual caf::expected<std::vector<api_key>>
  account_keys(const uuid& account_id) = 0;

  /// Revokes an active key of an account. Fails with `ec::not_found`.
  virtual caf::error revoke_key(const uuid& account_id, const uuid& key_id) = 0;

  /// Moves `last_used_at` of keys forward.
  virtual caf::error
  touch_keys(const std::vector<std::pair<uuid, timestamp>>& used)
    = 0;

  // -- sign-in ----------------------------------------------------------------

  /// Adds the first token of a family, and forgets tokens that expired before
  /// it was made.
  virtual caf::error add_refresh_token(const refresh_token& x) = 0;

  /// Puts the token `next_hash` in the place of the token `hash` of the same
  /// family. A token works once; one that comes again takes its whole family
  /// with it, sessions included, so that neither a thief nor the robbed can go
  /// on.
  virtual caf::expected<rotation>
  rotate_refresh_token(const std::string& hash, const std::string& next_hash,
                       timestamp at, timestamp expires_at)
    = 0;

  /// Adds a session, and forgets those that expired before it was made.
  virtual caf::error add_web_session(const web_session& x) = 0;

  /// Ends a session, and what else came from the same sign-in: its other
  /// sessions and its refresh tokens. Does nothing when there is none.
  virtual caf::error end_web_session(const std::string& hash) = 0;

  /// Returns all sessions that have not expired at `at`.
  virtual caf::expected<std::vector<web_session>>
  list_web_sessions(timestamp at) = 0;

  /// Returns a session; nullopt when there is none or it has expired at `at`.
  virtual caf::expected<std::optional<web_session>>
  find_web_session(const std::string& hash, timestamp at) = 0;

  /// Lets as many requests pass as the limits of their accounts leave, and
  /// returns one row for each entry, in their order. However many callers there
  /// are, no hour of an account ever passes its limit. Forgets hours before the
  /// last one.
  /// @param batch an account at most once.
  /// @param hour number of the UTC hour since 1970.
  virtual caf::expected<std::vector<admitted>>
  admit(const std::vector<admission>& batch, int64_t hour) = 0;

  // -- links ------------------------------------------------------------------

  /// Stores a new link with its variants, its first stratum and, if given, the
  /// idempotency record, which lives for 24 hours. Fails with `ec::conflict`
  /// when the slug is taken (also by a deleted link; the detail is "slug") or
  /// when the idempotency key was used with another body (detail
  /// "idempotency").
  virtual caf::expected<creation>
  create_link(const link& x, const std::optional<idempotency>& once) = 0;

  /// Does what `create_link` does for each of several links, for a store that
  /// can in one transaction: returns an entry for each, in their order. What is
  /// wrong with one of them fails that one alone; when the transaction fails,
  /// none is stored and each entry has the error.
  /// @param batch an idempotency key of an account at most once.
  virtual std::vector<caf::expected<creation>>
  create_links(const std::vector<new_link>& batch) {
    std::vector<caf::expected<creation>> result;
    result.reserve(batch.size());
    for (const auto& x : batch)
      result.emplace_back(create_link(x.draft, x.once));
    return result;
  }

  /// Returns the link of a slug, deleted ones included.
  virtual caf::expected<std::optional<link>> load_link(const std::string& slug)
    = 0;

  /// Returns the link of an id, deleted ones included.
  virtual caf::expected<std::optional<link>> load_link(const uuid& id) = 0;

  /// Stores all that can change of a link and its variants (new ones included)
  /// and, if its number is new, the stratum of the current weights. Fails with
  /// `ec::stale` when the stored version is not `x.version`. Returns the link
  /// with row keys and the next version.
  virtual caf::expected<link> save_link(const link& x) = 0;

  /// Returns the strata of a link, by number.
  virtual caf::expected<std::vector<stratum>> strata(row_key link_key) = 0;

  /// Returns a page of the links of an account that are not deleted, with the
  /// number of all that are selected. `page` counts from 1. An order other than
  /// newest first, and a search, look at each link of the account.
  virtual caf::expected<link_page> list_links(const uuid& account_id, int page,
                                              int per_page,
                                              const link_selection& which = {})
    = 0;

  /// Returns at most `limit` links of an account that are not deleted and come
  /// behind `before`, newest first as in `list_links` (none: from the newest
  /// on): page by page with the last one's place they are all links, each once,
  /// whatever is made or deleted meanwhile.
  virtual caf::expected<std::vector<counted_link>>
  links_before(const uuid& account_id, const std::optional<link_place>& before,
               int limit)
    = 0;

  // -- events -----------------------------------------------------------------

  /// Stores a batch in one transaction: raw events, roll-ups, totals, and the
  /// new positions. Events at or before a stored position are skipped, so a
  /// batch may be sent again at will.
  virtual caf::expected<store_result> store_events(const event_batch& batch)
    = 0;

  /// Returns the last stored position of each journal of a node.
  virtual caf::expected<std::vector<journal_range>>
  journal_positions(const uuid& node) = 0;

  /// Records a conversion at once. Fails with `ec::not_found` and detail
  /// "Click not found", "Link not found" or "Variant not found"; links of
  /// other accounts are not found.
  virtual caf::expected<conversion_result>
  add_conversion(const uuid& account_id, const conversion_request& x) = 0;

  /// Returns the secrets of the given days, making those that are missing, and
  /// forgets those older than two days before the first.
  virtual caf::expected<std::vector<day_secret>>
  day_secrets(const std::vector<day_number>& days) = 0;

  // -- reports ----------------------------------------------------------------

  /// Returns the report of a link for UTC days, both ends included; without
  /// days, from its creation to `today`. An only end outside of that time is
  /// both ends. Fails with `ec::not_found`.
  virtual caf::expected<analytics_report>
  analytics(const uuid& account_id, const uuid& link_id,
            std::optional<day_number> from, std::optional<day_number> to,
            day_number today)
    = 0;

  /// Returns a page of clicks, newest first. Fails with `ec::not_found`.
  virtual caf::expected<click_page>
  clicks(const uuid& account_id, const uuid& link_id, const click_range& range,
         int page, int per_page)
    = 0;

  /// Returns at most `limit` clicks that are older than the click `before`
  /// (none: the newest), newest first: page by page with the last one's id they
  /// are all clicks of the range, whatever comes in meanwhile. Fails with
  /// `ec::not_found`.
  virtual caf::expected<std::vector<click_row>>
  clicks_before(const uuid& account_id, const uuid& link_id,
                const click_range& range, const uuid& before, int limit)
    = 0;

  // -- winner -----------------------------------------------------------------

  /// Returns what there is for the winner of a link, deleted ones included, of
  /// its generation in force and from one snapshot; nullopt for an unknown id.
  virtual caf::expected<std::optional<winner_evidence>>
  evidence(const uuid& link_id) = 0;

  /// Stores a recommendation unless its link and generation have one: one and
  /// the same is returned to all that try, from whichever node. Fails with
  /// `ec::not_found` when there is no such link.
  virtual caf::expected<recommendation_result>
  add_recommendation(const recommendation& x) = 0;

  // -- changes ----------------------------------------------------------------

  /// Returns the number of the newest change.
  virtual caf::expected<int64_t> last_change() = 0;

  /// Returns at most 1,000 changes after `seq`, oldest first.
  virtual caf::expected<std::vector<change>> changes_since(int64_t seq) = 0;

  /// Waits until something may have changed and returns whether it did, at the
  /// latest after `timeout`. A hint only: who wants to know for sure asks
  /// `changes_since`. Plugins need not support it.
  virtual bool wait_for_change(std::chrono::milliseconds timeout) {
    std::this_thread::sleep_for(timeout);
    return false;
  }

  // -- retention --------------------------------------------------------------

  /// Deletes the raw clicks of UTC days before `before`, in short transactions,
  /// and returns how many. Totals, roll-ups and conversions stay, so no sum
  /// changes. Plugins need not support it.
  virtual caf::expected<int64_t> purge_clicks(day_number /* before */) {
    // Not turnout::make_error, so that a plugin needs nothing but the headers.
    return caf::make_error(
      ec::unavailable, std::string{"This storage plugin cannot purge clicks."});
  }
};

using backend_ptr = std::unique_ptr<backend>;

/// Where and how a plugin opens its store.
struct backend_settings {
  /// Directory for stores that live in files.
  std::string data_dir;
  /// Connection string for stores that live elsewhere; may be empty.
  std::string dsn;
};

} // namespace turnout::storage
