#pragma once

/// The SQL that all plugins have in common, written so that each of their
/// databases understands it; what differs is in dialect.hpp, what verify.cpp
/// needs it puts together from `roll_ups`. The address of a constant names its
/// prepared statement. Parameters are given in the order in which their names
/// come first.
namespace turnout::plugins::sql {

// -- upkeep -------------------------------------------------------------------

inline constexpr char schema_version[]
  = "SELECT coalesce(max(version), 0) FROM schema_migrations";

inline constexpr char add_migration[]
  = "INSERT INTO schema_migrations VALUES (:version, :title, :applied_at)";

// -- accounts and keys --------------------------------------------------------

inline constexpr char add_account[]
  = "INSERT INTO accounts (id_hi, id_lo, email, folded_email, password_hash,"
    " api_access, rate_limit, created_at) VALUES (:id_hi, :id_lo, :email,"
    " :folded, :password, :api_access, :rate_limit, :created_at)"
    " ON CONFLICT DO NOTHING";

inline constexpr char find_account[]
  = "SELECT id_hi, id_lo, email, password_hash, api_access, rate_limit,"
    " created_at FROM accounts WHERE folded_email = :folded"
    " AND folded_email <> ''";

inline constexpr char list_accounts[]
  = "SELECT id_hi, id_lo, email, password_hash, api_access, rate_limit,"
    " created_at FROM accounts ORDER BY created_at, id_hi, id_lo";

inline constexpr char update_account[]
  = "UPDATE accounts SET api_access = :api_access, rate_limit = :rate_limit,"
    " password_hash = :password WHERE id_hi = :id_hi AND id_lo = :id_lo";

inline constexpr char add_key[]
  = "INSERT INTO api_keys (id_hi, id_lo, account_hi, account_lo, type, name,"
    " prefix, hash, created_at, last_used_at, is_active) VALUES (:id_hi,"
    " :id_lo, :account_hi, :account_lo, :type, :name, :prefix, :hash,"
    " :created_at, :last_used_at, :is_active) ON CONFLICT DO NOTHING";

inline constexpr char list_keys[]
  = "SELECT id_hi, id_lo, account_hi, account_lo, type, name, prefix, hash,"
    " created_at, last_used_at, is_active FROM api_keys WHERE is_active = 1"
    " ORDER BY created_at, id_hi, id_lo";

inline constexpr char account_keys[]
  = "SELECT id_hi, id_lo, account_hi, account_lo, type, name, prefix, hash,"
    " created_at, last_used_at, is_active FROM api_keys"
    " WHERE account_hi = :account_hi AND account_lo = :account_lo"
    " AND is_active = 1 ORDER BY created_at, id_hi, id_lo";

inline constexpr char revoke_key[]
  = "UPDATE api_keys SET is_active = 0 WHERE id_hi = :id_hi AND id_lo = :id_lo"
    " AND account_hi = :account_hi AND account_lo = :account_lo"
    " AND is_active = 1";

inline constexpr char touch_key[]
  = "UPDATE api_keys SET last_used_at = :at"
    " WHERE id_hi = :id_hi AND id_lo = :id_lo AND last_used_at < :at";

inline constexpr char find_rate_window[]
  = "SELECT used FROM rate_windows WHERE hour = :hour"
    " AND account_hi = :account_hi AND account_lo = :account_lo";

// Keeps everybody else from counting until the transaction ends.
inline constexpr char lock_rate_window[]
  = "INSERT INTO rate_windows (hour, account_hi, account_lo, used) VALUES"
    " (:hour, :account_hi, :account_lo, 0)"
    " ON CONFLICT (hour, account_hi, account_lo)"
    " DO UPDATE SET used = rate_windows.used RETURNING used";

inline constexpr char set_rate_window[]
  = "UPDATE rate_windows SET used = :used WHERE hour = :hour"
    " AND account_hi = :account_hi AND account_lo = :account_lo";

inline constexpr char forget_rate_windows[]
  = "DELETE FROM rate_windows WHERE hour < :hour";

// -- sign-in ------------------------------------------------------------------

inline constexpr char account_of_id[]
  = "SELECT id_hi, id_lo, email, password_hash, api_access, rate_limit,"
    " created_at FROM accounts WHERE id_hi = :id_hi AND id_lo = :id_lo";

inline constexpr char expire_refresh_tokens[]
  = "DELETE FROM refresh_tokens WHERE expires_at <= :now";

inline constexpr char add_refresh_token[]
  = "INSERT INTO refresh_tokens (hash, family_hi, family_lo, account_hi,"
    " account_lo, created_at, expires_at, is_used) VALUES (:hash, :family_hi,"
    " :family_lo, :account_hi, :account_lo, :created_at, :expires_at, 0)";

inline constexpr char find_refresh_token[]
  = "SELECT family_hi, family_lo, account_hi, account_lo, is_used"
    " FROM refresh_tokens WHERE hash = :hash AND expires_at > :now";

inline constexpr char use_refresh_token[]
  = "UPDATE refresh_tokens SET is_used = 1 WHERE hash = :hash"
    " AND is_used = 0";

inline constexpr char forget_family[]
  = "DELETE FROM refresh_tokens WHERE family_hi = :family_hi"
    " AND family_lo = :family_lo";

inline constexpr char expire_web_sessions[]
  = "DELETE FROM web_sessions WHERE expires_at <= :now";

inline constexpr char add_web_session[]
  = "INSERT INTO web_sessions (hash, family_hi, family_lo, account_hi,"
    " account_lo, email, created_at, expires_at) VALUES (:hash, :family_hi,"
    " :family_lo, :account_hi, :account_lo, :email, :created_at, :expires_at)";

inline constexpr char list_web_sessions[]
  = "SELECT hash, family_hi, family_lo, account_hi, account_lo, email,"
    " created_at, expires_at FROM web_sessions WHERE expires_at > :now"
    " ORDER BY hash";

inline constexpr char find_web_session[]
  = "SELECT hash, family_hi, family_lo, account_hi, account_lo, email,"
    " created_at, expires_at FROM web_sessions WHERE hash = :hash"
    " AND expires_at > :now";

inline constexpr char end_web_session[]
  = "DELETE FROM web_sessions WHERE hash = :hash"
    " RETURNING family_hi, family_lo, account_hi, account_lo";

inline constexpr char end_family_sessions[]
  = "DELETE FROM web_sessions WHERE family_hi = :family_hi"
    " AND family_lo = :family_lo";

// -- links --------------------------------------------------------------------

inline constexpr char add_link[]
  = "INSERT INTO links (id_hi, id_lo, user_hi, user_lo, slug, name, is_active,"
    " is_deleted, auto_winner, auto_winner_threshold, routing, geo,"
    " enable_conversion_tracking, conversion_redirect_url, created_at,"
    " updated_at, generation, stratum, version, imported_clicks) VALUES"
    " (:id_hi, :id_lo,"
    " :user_hi, :user_lo, :slug, :name, :is_active, :is_deleted, :auto_winner,"
    " :threshold, :routing, :geo, :tracking, :conversion_url, :created_at,"
    " :updated_at, :generation, :stratum, :version, :imported)"
    " ON CONFLICT (slug) DO NOTHING RETURNING link_key";

inline constexpr char add_variant[]
  = "INSERT INTO variants (link_key, id_hi, id_lo, label, destination_url,"
    " weight, is_winner, retired, position, created_at) VALUES (:link, :id_hi,"
    " :id_lo, :label, :url, :weight, :is_winner, :retired, :position,"
    " :created_at) RETURNING variant_key";

inline constexpr char add_stratum[]
  = "INSERT INTO strata (link_key, number, generation, weights, created_at)"
    " VALUES (:link, :number, :generation, :weights, :created_at)"
    " ON CONFLICT DO NOTHING";

inline constexpr char link_by_slug[]
  = "SELECT link_key, id_hi, id_lo, user_hi, user_lo, slug, name, is_active,"
    " is_deleted, auto_winner, auto_winner_threshold, routing, geo,"
    " enable_conversion_tracking, conversion_redirect_url, created_at,"
    " updated_at, generation, stratum, version, imported_clicks FROM links"
    " WHERE slug = :slug";

inline constexpr char link_by_id[]
  = "SELECT link_key, id_hi, id_lo, user_hi, user_lo, slug, name, is_active,"
    " is_deleted, auto_winner, auto_winner_threshold, routing, geo,"
    " enable_conversion_tracking, conversion_redirect_url, created_at,"
    " updated_at, generation, stratum, version, imported_clicks FROM links"
    " WHERE id_hi = :id_hi AND id_lo = :id_lo";

inline constexpr char variants_of_link[]
  = "SELECT variant_key, id_hi, id_lo, label, destination_url, weight,"
    " is_winner, retired, position, created_at FROM variants"
    " WHERE link_key = :link ORDER BY retired, position, variant_key";

inline constexpr char update_link[]
  = "UPDATE links SET name = :name, is_active = :is_active,"
    " is_deleted = :is_deleted, auto_winner = :auto_winner,"
    " auto_winner_threshold = :threshold, routing = :routing, geo = :geo,"
    " enable_conversion_tracking = :tracking,"
    " conversion_redirect_url = :conversion_url, updated_at = :updated_at,"
    " generation = :generation, stratum = :stratum, version = version + 1"
    " WHERE id_hi = :id_hi AND id_lo = :id_lo AND version = :version"
    " RETURNING link_key";

inline constexpr char update_variant[]
  = "UPDATE variants SET destination_url = :url, weight = :weight,"
    " is_winner = :is_winner, retired = :retired, position = :position"
    " WHERE variant_key = :key AND link_key = :link";

inline constexpr char strata_of_link[]
  = "SELECT number, generation, weights FROM strata WHERE link_key = :link"
    " ORDER BY number";

inline constexpr char count_links[]
  = "SELECT count(*) FROM links WHERE user_hi = :user_hi"
    " AND user_lo = :user_lo AND is_deleted = 0";

// The inner query reads the index only, so that a deep page stays cheap.
inline constexpr char list_links[]
  = "SELECT l.link_key, l.id_hi, l.id_lo, l.slug, l.name, l.is_active,"
    " l.routing, l.created_at FROM (SELECT link_key FROM links"
    " WHERE user_hi = :user_hi AND user_lo = :user_lo AND is_deleted = 0"
    " ORDER BY created_at DESC, id_hi DESC, id_lo DESC"
    " LIMIT :limit OFFSET :offset) AS page JOIN links l USING (link_key)"
    " ORDER BY l.created_at DESC, l.id_hi DESC, l.id_lo DESC";

// What `arrange` is given, newest first.
inline constexpr char links_to_arrange[]
  = "SELECT link_key, name, slug FROM links WHERE user_hi = :user_hi"
    " AND user_lo = :user_lo AND is_deleted = 0"
    " ORDER BY created_at DESC, id_hi DESC, id_lo DESC";

inline constexpr char listed_link[]
  = "SELECT link_key, id_hi, id_lo, slug, name, is_active, routing, created_at"
    " FROM links WHERE link_key = :link";

inline constexpr char links_before[]
  = "SELECT link_key, id_hi, id_lo, user_hi, user_lo, slug, name, is_active,"
    " is_deleted, auto_winner, auto_winner_threshold, routing, geo,"
    " enable_conversion_tracking, conversion_redirect_url, created_at,"
    " updated_at, generation, stratum, version, imported_clicks FROM links"
    " WHERE user_hi = :user_hi AND user_lo = :user_lo AND is_deleted = 0"
    " AND (created_at, id_hi, id_lo) < (:created_at, :id_hi, :id_lo)"
    " ORDER BY created_at DESC, id_hi DESC, id_lo DESC LIMIT :limit";

inline constexpr char sums_of_link[]
  = "SELECT coalesce(sum(clicks), 0), coalesce(sum(conversions), 0)"
    " FROM variant_total_sums WHERE link_key = :link";

inline constexpr char top_variant[]
  = "SELECT v.label FROM variants v LEFT JOIN (SELECT variant_key,"
    " sum(clicks) AS clicks, sum(conversions) AS conversions"
    " FROM variant_total_sums WHERE link_key = :link GROUP BY variant_key) t"
    " ON t.variant_key = v.variant_key WHERE v.link_key = :link"
    " ORDER BY v.retired,"
    " coalesce(t.conversions, 0) DESC, coalesce(t.clicks, 0) DESC,"
    " v.weight DESC, v.position LIMIT 1";

inline constexpr char find_idempotency[]
  = "SELECT body_hash, response FROM idempotency"
    " WHERE account_hi = :account_hi AND account_lo = :account_lo"
    " AND key = :key AND expires_at > :now";

inline constexpr char add_idempotency[]
  = "INSERT INTO idempotency (account_hi, account_lo, key, body_hash, response,"
    " expires_at) VALUES (:account_hi, :account_lo, :key, :body_hash,"
    " :response, :expires_at) ON CONFLICT DO NOTHING";

inline constexpr char forget_idempotency[]
  = "DELETE FROM idempotency WHERE account_hi = :account_hi"
    " AND account_lo = :account_lo AND key = :key";

inline constexpr char expire_idempotency[]
  = "DELETE FROM idempotency WHERE expires_at <= :now";

// -- events -------------------------------------------------------------------

// So that there is a row to lock.
inline constexpr char add_position[]
  = "INSERT INTO journal_positions (node_hi, node_lo, journal, position)"
    " VALUES (:node_hi, :node_lo, :journal, 0) ON CONFLICT DO NOTHING";

inline constexpr char positions_of_node[]
  = "SELECT journal, position FROM journal_positions WHERE node_hi = :node_hi"
    " AND node_lo = :node_lo ORDER BY journal";

inline constexpr char set_position[]
  = "UPDATE journal_positions SET position = :position"
    " WHERE node_hi = :node_hi AND node_lo = :node_lo AND journal = :journal"
    " AND position < :position";

inline constexpr char mark_converted[]
  = "UPDATE clicks SET is_conversion = 1 WHERE link_key = :link"
    " AND id_hi = :id_hi AND id_lo = :id_lo AND is_conversion = 0";

inline constexpr char get_horizons[] = "SELECT visitors, clicks FROM horizons";

inline constexpr char set_visitors_horizon[]
  = "UPDATE horizons SET visitors = :day";

inline constexpr char set_clicks_horizon[]
  = "UPDATE horizons SET clicks = :day";

inline constexpr char add_conversion[]
  = "INSERT INTO conversions (link_key, created_at, id_hi, id_lo, variant_key,"
    " click_hi, click_lo, event_id, value, currency, occurred_at,"
    " country_value, referrer_value, browser_value, device_value,"
    " system_value) VALUES (:link, :created_at, :id_hi, :id_lo, :variant,"
    " :click_hi, :click_lo, :event, :value, :currency, :occurred_at, :country,"
    " :referrer, :browser, :device, :system) ON CONFLICT DO NOTHING";

#define COLUMNS                                                                \
  "click_hi, click_lo, id_hi, id_lo, link_hi, link_lo, event_id, value,"       \
  " currency, occurred_at, created_at"

inline constexpr char add_waiting_conversion[]
  = "INSERT INTO waiting_conversions (" COLUMNS ", kept_at) VALUES (:click_hi,"
    " :click_lo, :id_hi, :id_lo, :link_hi, :link_lo, :event, :value, :currency,"
    " :occurred_at, :created_at, :kept_at) ON CONFLICT DO NOTHING";

inline constexpr char conversions_waiting_between[]
  = "SELECT " COLUMNS " FROM waiting_conversions"
    " WHERE click_hi >= :low AND click_hi <= :high";

#undef COLUMNS

inline constexpr char find_waiting_conversion[]
  = "SELECT 1 FROM waiting_conversions WHERE kept_at >= :since LIMIT 1";

inline constexpr char forget_waiting_conversion[]
  = "DELETE FROM waiting_conversions WHERE click_hi = :click_hi"
    " AND click_lo = :click_lo AND id_hi = :id_hi AND id_lo = :id_lo";

inline constexpr char forget_conversions_waiting_since[]
  = "DELETE FROM waiting_conversions WHERE kept_at < :oldest";

inline constexpr char conversion_by_event[]
  = "SELECT c.id_hi, c.id_lo, l.id_hi, l.id_lo, coalesce(v.id_hi, 0),"
    " coalesce(v.id_lo, 0), coalesce(v.label, ''), c.click_hi, c.click_lo,"
    " c.event_id, c.value, c.currency, c.occurred_at, c.created_at"
    " FROM conversions c JOIN links l ON l.link_key = c.link_key"
    " LEFT JOIN variants v ON v.variant_key = c.variant_key"
    " WHERE c.link_key = :link AND c.event_id = :event AND c.event_id <> ''";

inline constexpr char first_conversion_of_click[]
  = "SELECT c.id_hi, c.id_lo, l.id_hi, l.id_lo, coalesce(v.id_hi, 0),"
    " coalesce(v.id_lo, 0), coalesce(v.label, ''), c.click_hi, c.click_lo,"
    " c.event_id, c.value, c.currency, c.occurred_at, c.created_at"
    " FROM conversions c JOIN links l ON l.link_key = c.link_key"
    " LEFT JOIN variants v ON v.variant_key = c.variant_key"
    " WHERE c.click_hi = :click_hi AND c.click_lo = :click_lo"
    " ORDER BY c.created_at, c.id_hi, c.id_lo LIMIT 1";

inline constexpr char conversions_of_link[]
  = "SELECT c.id_hi, c.id_lo, l.id_hi, l.id_lo, coalesce(v.id_hi, 0),"
    " coalesce(v.id_lo, 0), coalesce(v.label, ''), c.click_hi, c.click_lo,"
    " c.event_id, c.value, c.currency, c.occurred_at, c.created_at"
    " FROM conversions c JOIN links l ON l.link_key = c.link_key"
    " LEFT JOIN variants v ON v.variant_key = c.variant_key"
    " WHERE c.link_key = :link AND c.created_at >= :from"
    " AND c.created_at < :until"
    " ORDER BY c.created_at DESC, c.id_hi DESC, c.id_lo DESC LIMIT 100";

inline constexpr char variant_by_id[]
  = "SELECT variant_key FROM variants WHERE link_key = :link"
    " AND id_hi = :id_hi AND id_lo = :id_lo";

// -- roll-ups -----------------------------------------------------------------

inline constexpr char recount_daily_visitors[]
  = "INSERT INTO daily_visitors (link_key, day, uniques)"
    " SELECT CAST(:link AS BIGINT), CAST(:day AS BIGINT),"
    " count(DISTINCT visitor) FROM all_clicks"
    " WHERE link_key = :link AND id_hi >= :first_id AND id_hi < :end_id"
    " ON CONFLICT (link_key, day)"
    " DO UPDATE SET uniques = CASE WHEN excluded.uniques"
    " > daily_visitors.uniques THEN excluded.uniques"
    " ELSE daily_visitors.uniques END";

// -- reports ------------------------------------------------------------------

inline constexpr char id_of_link[]
  = "SELECT id_hi, id_lo FROM links WHERE link_key = :link";

inline constexpr char first_and_last_day[]
  = "SELECT coalesce(min(day), :created), coalesce(max(day), :created)"
    " FROM daily_sums WHERE link_key = :link";

inline constexpr char days_of_link[]
  = "SELECT day, sum(clicks), sum(conversions), sum(unattributed)"
    " FROM daily_sums WHERE link_key = :link AND day BETWEEN :from AND :to "
    "GROUP BY day"
    " ORDER BY day";

inline constexpr char variants_in_days[]
  = "SELECT variant_key, sum(clicks), sum(converted), sum(conversions)"
    " FROM daily_sums WHERE link_key = :link AND day BETWEEN :from AND :to"
    " GROUP BY variant_key";

inline constexpr char visitors_in_days[]
  = "SELECT coalesce(sum(uniques), 0) FROM daily_visitor_sums"
    " WHERE link_key = :link AND day BETWEEN :from AND :to";

inline constexpr char top_values[]
  = "SELECT value, sum(clicks), sum(conversions) FROM daily_value_sums"
    " WHERE link_key = :link AND dimension = :dimension"
    " AND day BETWEEN :from AND :to GROUP BY value"
    " ORDER BY 2 DESC, 3 DESC, 1 LIMIT 10";

inline constexpr char excluded_in_days[]
  = "SELECT reason, sum(visits) FROM daily_excluded WHERE link_key = :link"
    " AND day BETWEEN :from AND :to GROUP BY reason";

inline constexpr char click_days[]
  = "SELECT day, sum(clicks) FROM daily_sums WHERE link_key = :link"
    " AND day BETWEEN :from AND :to GROUP BY day HAVING sum(clicks) > 0"
    " ORDER BY day DESC";

inline constexpr char count_clicks[]
  = "SELECT count(*) FROM (SELECT 1 FROM all_clicks WHERE link_key = :link"
    " AND id_hi >= :first_id AND id_hi < :end_id AND created_at >= :from"
    " AND created_at < :until LIMIT :limit) AS found";

inline constexpr char list_clicks[]
  = "SELECT c.id_hi, c.id_lo, v.id_hi, v.id_lo, c.ip_address, c.user_agent,"
    " c.referrer, c.country, c.is_conversion, c.created_at FROM all_clicks c"
    " JOIN variants v ON v.variant_key = c.variant_key"
    " WHERE c.link_key = :link AND c.id_hi >= :first_id AND c.id_hi < :end_id"
    " AND c.created_at >= :from AND c.created_at < :until"
    " ORDER BY c.id_hi DESC, c.id_lo DESC LIMIT :limit OFFSET :offset";

// The bounds of `id_hi` are what the index is searched by: `:end_id` is at most
// one more than `:before_hi`.
inline constexpr char clicks_before[]
  = "SELECT c.id_hi, c.id_lo, v.id_hi, v.id_lo, c.ip_address, c.user_agent,"
    " c.referrer, c.country, c.is_conversion, c.created_at FROM all_clicks c"
    " JOIN variants v ON v.variant_key = c.variant_key"
    " WHERE c.link_key = :link AND c.id_hi >= :first_id AND c.id_hi < :end_id"
    " AND c.created_at >= :from AND c.created_at < :until"
    " AND (c.id_hi < :before_hi OR c.id_lo < :before_lo)"
    " ORDER BY c.id_hi DESC, c.id_lo DESC LIMIT :limit";

// -- winner -------------------------------------------------------------------

inline constexpr char strata_of_generation[]
  = "SELECT number, generation, weights FROM strata WHERE link_key = :link"
    " AND generation = :generation ORDER BY number";

inline constexpr char start_of_generation[]
  = "SELECT created_at FROM strata WHERE link_key = :link"
    " AND generation = :generation ORDER BY number LIMIT 1";

inline constexpr char evidence_of_generation[]
  = "SELECT e.stratum, v.id_hi, v.id_lo, sum(e.clicks), sum(e.conversions)"
    " FROM strata s JOIN evidence_sums e ON e.link_key = :link"
    " AND e.stratum = s.number JOIN variants v"
    " ON v.variant_key = e.variant_key WHERE s.link_key = :link"
    " AND s.generation = :generation GROUP BY e.stratum, e.variant_key,"
    " v.id_hi, v.id_lo ORDER BY e.stratum, e.variant_key";

inline constexpr char add_recommendation[]
  = "INSERT INTO recommendations (link_key, generation, variant_hi,"
    " variant_lo, label, decided_at, cause, conversion_hi, conversion_lo,"
    " method, threshold, snapshot) VALUES (:link, :generation, :variant_hi,"
    " :variant_lo, :label, :decided_at, :cause, :conversion_hi,"
    " :conversion_lo, :method, :threshold, :snapshot) ON CONFLICT DO NOTHING";

inline constexpr char find_recommendation[]
  = "SELECT link_key, generation, variant_hi, variant_lo, label, decided_at,"
    " cause, conversion_hi, conversion_lo, method, threshold, snapshot"
    " FROM recommendations WHERE link_key = :link"
    " AND generation = :generation";

// -- secrets and changes ------------------------------------------------------

inline constexpr char find_day_secret[]
  = "SELECT secret FROM day_secrets WHERE day = :day";

inline constexpr char add_day_secret[]
  = "INSERT INTO day_secrets (day, secret) VALUES (:day, :secret)"
    " ON CONFLICT DO NOTHING";

inline constexpr char forget_day_secrets[]
  = "DELETE FROM day_secrets WHERE day < :day";

inline constexpr char last_change[]
  = "SELECT coalesce(max(seq), 0) FROM changes";

inline constexpr char changes_since[]
  = "SELECT seq, kind, id_hi, id_lo FROM changes WHERE seq > :seq ORDER BY seq"
    " LIMIT 1000";

// -- retention ----------------------------------------------------------------

inline constexpr char links_with_clicks_before[]
  = "SELECT link_key FROM links l WHERE EXISTS (SELECT 1 FROM all_clicks c"
    " WHERE c.link_key = l.link_key AND c.id_hi < :end_id)";

inline constexpr char days_with_clicks_before[]
  = "SELECT DISTINCT day FROM daily_sums WHERE link_key = :link"
    " AND day < :before AND clicks > 0 ORDER BY day";

inline constexpr char keep_evidence[]
  = "INSERT INTO purged_evidence (link_key, stratum, variant_key, clicks,"
    " conversions) SELECT link_key, stratum, variant_key, count(*),"
    " sum(is_conversion) FROM all_clicks WHERE link_key = :link"
    " AND id_hi >= :first_id AND id_hi < :end_id AND is_repeat = 0"
    " GROUP BY link_key, stratum, variant_key"
    " ON CONFLICT (link_key, stratum, variant_key)"
    " DO UPDATE SET clicks = purged_evidence.clicks + excluded.clicks,"
    " conversions = purged_evidence.conversions + excluded.conversions";

inline constexpr char count_clicks_to_purge[]
  = "SELECT count(*) FROM all_clicks WHERE link_key = :link"
    " AND id_hi >= :first_id AND id_hi < :end_id";

inline constexpr char purge_clicks[]
  = "DELETE FROM clicks WHERE link_key = :link AND id_hi >= :first_id"
    " AND id_hi < :end_id";

// -- verification -------------------------------------------------------------

/// A roll-up and the query that computes it anew from the raw events; the
/// query gives the key and value columns in their order. `:clicks_horizon` is
/// replaced by the day before which clicks were purged, whose daily rows are
/// all there is.
struct roll_up {
  const char* table;
  /// The table, or the view that adds what is not in it yet.
  const char* sums;
  /// Separated by ", ".
  const char* keys;
  const char* values;
  const char* computed;
  /// Which stored rows the query speaks of.
  const char* scope;
};

// The order matters: totals are computed from the (repaired) days.
inline constexpr roll_up roll_ups[] = {
  {"daily", "daily_sums", "link_key, day, variant_key",
   "clicks, converted, conversions, unattributed",
   "SELECT link_key, day, variant_key, sum(clicks), sum(converted),"
   " sum(conversions), sum(unattributed) FROM ("
   "SELECT link_key, created_at / 86400000000 AS day, variant_key,"
   " count(*) AS clicks, sum(is_conversion) AS converted, 0 AS conversions,"
   " 0 AS unattributed FROM all_clicks GROUP BY 1, 2, 3 UNION ALL "
   "SELECT link_key, created_at / 86400000000, variant_key, 0, 0, count(*),"
   " sum(CASE WHEN click_hi = 0 AND click_lo = 0 THEN 1 ELSE 0 END)"
   " FROM conversions GROUP BY 1, 2, 3) AS parts"
   " WHERE day >= :clicks_horizon GROUP BY 1, 2, 3",
   "day >= :clicks_horizon"},

  {"variant_totals", "variant_total_sums", "link_key, variant_key",
   "clicks, converted, conversions",
   "SELECT link_key, variant_key, sum(clicks), sum(converted),"
   " sum(conversions) FROM (SELECT link_key, day, variant_key, clicks,"
   " converted, conversions FROM computed_daily UNION ALL"
   " SELECT link_key, day, variant_key, clicks, converted, conversions"
   " FROM daily_sums WHERE day < :clicks_horizon) AS parts GROUP BY 1, 2",
   "1 = 1"},

  {"daily_visitors", "daily_visitor_sums", "link_key, day", "uniques",
   "SELECT link_key, created_at / 86400000000 AS day,"
   " count(DISTINCT visitor) FROM all_clicks"
   " WHERE created_at / 86400000000 >= :clicks_horizon GROUP BY 1, 2",
   "day >= :clicks_horizon"},

  {"daily_values", "daily_value_sums", "link_key, dimension, day, value",
   "clicks, conversions",
   "SELECT link_key, dimension, day, value, sum(clicks), sum(conversions)"
   " FROM (SELECT link_key, created_at / 86400000000 AS day,"
   " d.column1 AS dimension, CASE d.column1 WHEN 0 THEN country_value"
   " WHEN 1 THEN referrer_value WHEN 2 THEN browser_value"
   " WHEN 3 THEN device_value ELSE system_value END AS value,"
   " count(*) AS clicks, 0 AS conversions FROM all_clicks,"
   " (VALUES (0), (1), (2), (3), (4)) AS d GROUP BY 1, 2, 3, 4 UNION ALL "
   "SELECT link_key, created_at / 86400000000, d.column1,"
   " CASE d.column1 WHEN 0 THEN country_value WHEN 1 THEN referrer_value"
   " WHEN 2 THEN browser_value WHEN 3 THEN device_value ELSE system_value END"
   " AS value, 0, count(*) FROM conversions,"
   " (VALUES (0), (1), (2), (3), (4)) AS d GROUP BY 1, 2, 3, 4) AS parts"
   " WHERE day >= :clicks_horizon GROUP BY 1, 2, 3, 4",
   "day >= :clicks_horizon"},

  {"evidence", "evidence_sums", "link_key, stratum, variant_key",
   "clicks, conversions",
   "SELECT link_key, stratum, variant_key, sum(clicks), sum(conversions)"
   " FROM (SELECT link_key, stratum, variant_key, count(*) AS clicks,"
   " sum(is_conversion) AS conversions FROM all_clicks WHERE is_repeat = 0"
   " GROUP BY 1, 2, 3 UNION ALL SELECT link_key, stratum, variant_key, clicks,"
   " conversions FROM purged_evidence) AS parts GROUP BY 1, 2, 3",
   "1 = 1"},
};

// Clicks whose mark is not what the conversions say.
inline constexpr char wrong_marks[]
  = "SELECT c.id_hi, c.id_lo, c.is_conversion FROM all_clicks c"
    " WHERE c.is_conversion <> CASE WHEN EXISTS (SELECT 1"
    " FROM conversions v WHERE v.click_hi = c.id_hi"
    " AND v.click_lo = c.id_lo) THEN 1 ELSE 0 END";

inline constexpr char repair_marks[]
  = "UPDATE clicks SET is_conversion = 1 - is_conversion"
    " WHERE is_conversion <> CASE WHEN EXISTS (SELECT 1"
    " FROM conversions v WHERE v.click_hi = clicks.id_hi"
    " AND v.click_lo = clicks.id_lo) THEN 1 ELSE 0 END";

} // namespace turnout::plugins::sql
