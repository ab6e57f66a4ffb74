#pragma once

#include "actors/reply.hpp"
#include "actors/visit.hpp"
#include "core/model.hpp"
#include "core/report.hpp"
#include "core/winner_report.hpp"
#include "journal/journal.hpp"
#include "storage/backend.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnout {

/// Whom an API key speaks for.
struct principal {
  uuid account_id;
  uuid key_id;
  key_type type = key_type::secret;
  bool api_access = true;
  /// Requests per hour.
  int rate_limit = 1000;
};

/// Whom a session token, or the cookie of a session, speaks for; `who.key_id`
/// is none.
struct session {
  principal who;
  /// Empty when it names none.
  std::string email;
  timestamp expires_at;
};

/// A session of the dashboard that was just begun.
struct begun_session {
  /// The cookie's value, kept nowhere.
  std::string text;
  /// For how long it is valid.
  std::chrono::seconds lifetime{};
};

/// A key that was just made.
struct created_key {
  api_key stored;
  /// The full key, kept nowhere.
  std::string text;
};

/// What a sign-in answers.
struct sign_in_answer {
  uuid account_id;
  std::string email;
  /// A session token.
  std::string access_token;
  std::chrono::seconds lifetime{};
  /// For one more session token later, once.
  std::string refresh_token;
  /// What all tokens that came from the same sign-in share.
  uuid family;
};

/// What the rate limiter says of one request.
struct rate_status {
  bool allowed = true;
  /// Whether the store was asked or need not be; otherwise the numbers are the
  /// last known ones and the request must not pass.
  bool is_known = true;
  int limit = 0;
  int remaining = 0;
  timestamp reset_at;
};

/// Computes the next state of a link from the current one, or the error to
/// answer. Must be pure: it is run again when another node was faster.
using link_change
  = std::function<caf::expected<link>(const link& current, timestamp now)>;

/// A link to be created.
struct creation_request {
  /// Complete but for `key`; an empty slug asks for a generated one.
  link draft;
  /// Idempotency-Key and hash of the body; the supervisor fills `response`.
  std::optional<storage::idempotency> once;
  /// Renders the 201's body of the finished link.
  std::function<std::string(const link&)> render;
};

/// What a creation answers: status 201 and this body.
struct creation_answer {
  std::string body;
};

/// Everything that the HTTP layer asks of the actors. All calls return at once,
/// may be made from any reactor's thread, and answer through their port.
class service {
public:
  virtual ~service() = default;

  /// Says that the caller will have a visit of a slug answered in a moment.
  virtual void expect_visit(std::string_view /* slug */) {
    // nop
  }

  /// Answers a visit of a short link.
  virtual void resolve(visit_ptr x) = 0;

  /// Creates a link.
  virtual void create(creation_request x, reply_ptr<creation_answer> reply) = 0;

  /// Reads (empty `change`) or changes a link of an account; answers the link
  /// as it is afterwards, or `ec::not_found` "Link not found".
  virtual void with_link(const uuid& account_id, const uuid& link_id,
                         link_change change, reply_ptr<link> reply)
    = 0;

  virtual void list_links(const uuid& account_id, int page, int per_page,
                          link_selection which, reply_ptr<link_page> reply)
    = 0;

  virtual void analytics(const uuid& account_id, const uuid& link_id,
                         std::optional<day_number> from,
                         std::optional<day_number> to,
                         reply_ptr<analytics_report> reply)
    = 0;

  virtual void clicks(const uuid& account_id, const uuid& link_id,
                      storage::click_range range, int page, int per_page,
                      reply_ptr<click_page> reply)
    = 0;

  /// Answers how it stands with the winner of a link.
  virtual void winner(const uuid& account_id, const uuid& link_id,
                      reply_ptr<winner_report> reply)
    = 0;

  /// Reads at most `limit` clicks older than the click `before` (none: the
  /// newest), newest first.
  virtual void clicks_before(const uuid& account_id, const uuid& link_id,
                             storage::click_range range, const uuid& before,
                             int limit, reply_ptr<std::vector<click_row>> reply)
    = 0;

  /// Reads a link, whoever owns it; `ec::not_found` when it is deleted.
  virtual void find_link(const uuid& link_id, reply_ptr<link> reply) = 0;

  /// Records a conversion of the server call; waits for clicks that are still
  /// in the journal.
  virtual void convert(const uuid& account_id, conversion_request x,
                       reply_ptr<storage::conversion_result> reply)
    = 0;

  /// Appends an event to the journal of the calling reactor and calls `then`
  /// on the same thread after the commit, with whether it succeeded. Must be
  /// called from the thread of reactor `reactor`.
  virtual void journal(size_t reactor, const journal::event& x,
                       std::function<void(bool committed)> then)
    = 0;

  /// Answers whether no link, not even a deleted one, has the slug.
  virtual void is_slug_free(std::string slug, reply_ptr<bool> reply) = 0;

  /// Returns whom a full key speaks for; nullopt for an unknown or revoked
  /// one. Notes the use of the key.
  virtual std::optional<principal> authenticate(std::string_view key) = 0;

  /// Counts a request against the hour of the account.
  virtual void admit(const principal& who, reply_ptr<rate_status> reply) = 0;

  /// Tells the numbers of an account's hour without counting.
  /// @param limit requests per hour of the account.
  virtual void rate(const uuid& account_id, int limit,
                    reply_ptr<rate_status> reply)
    = 0;

  /// Finds out whom a session token speaks for; fails with `ec::no_session`.
  /// @param may_wait whether to wait for the identity provider's keys when the
  ///                 token was signed with one that is not known yet.
  virtual void open_session(std::string token, bool may_wait,
                            reply_ptr<session> reply)
    = 0;

  /// Begins a session of the dashboard, and makes the account too when it is of
  /// an external identity provider and new. Every reactor knows the session
  /// when this answers. Fails with `ec::no_session` when `owner` has expired
  /// and with `ec::forbidden` when an external provider grants no API access.
  /// @param family of the refresh tokens that end with it; none for none.
  virtual void begin_web_session(const session& owner, const uuid& family,
                                 reply_ptr<begun_session> reply)
    = 0;

  /// Finds out whom the cookie of a session speaks for; fails with
  /// `ec::no_session`.
  /// @param may_wait whether to ask the store for a session that is not known
  ///                 yet, because another node began it.
  virtual void open_web_session(std::string text, bool may_wait,
                                reply_ptr<session> reply)
    = 0;

  /// Ends a session, and its refresh tokens; no reactor accepts it any more
  /// when this answers whether it did: false when there was no such session.
  virtual void end_web_session(std::string text, reply_ptr<bool> reply) = 0;

  /// Makes a key of an account, and the account too when it is of an external
  /// identity provider and this is its first key. The key is known to every
  /// reactor when this answers.
  virtual void create_key(const session& owner, std::string name, key_type type,
                          reply_ptr<created_key> reply)
    = 0;

  /// Lists the active keys of an account, oldest first.
  virtual void list_keys(const uuid& account_id,
                         reply_ptr<std::vector<api_key>> reply)
    = 0;

  /// Revokes a key of an account and answers its id; no reactor accepts it any
  /// more when this answers. Fails with `ec::not_found` "API key not found".
  virtual void revoke_key(const uuid& account_id, const uuid& key_id,
                          reply_ptr<uuid> reply)
    = 0;

  /// Signs a user of the built-in sign-in in; fails with `ec::unauthorized`,
  /// whatever was wrong.
  virtual void sign_in(std::string email, std::string password,
                       reply_ptr<sign_in_answer> reply)
    = 0;

  /// Exchanges a refresh token for a new session token and the next refresh
  /// token; fails with `ec::unauthorized`.
  virtual void refresh_session(std::string refresh_token,
                               reply_ptr<sign_in_answer> reply)
    = 0;

  /// Secrets for visitor keys, of `at`'s day and the day before.
  virtual std::array<std::array<uint8_t, 32>, 2> visitor_secrets(timestamp at)
    = 0;

  /// Returns an empty string when the store answers and is migrated, otherwise
  /// the reason; does not block.
  virtual std::string not_ready() = 0;
};

} // namespace turnout
