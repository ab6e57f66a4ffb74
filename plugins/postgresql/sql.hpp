#pragma once

#include "plugins/sql/dialect.hpp"

/// What PostgreSQL says in its own way, besides its schema (schema.cpp). Arrays
/// are handed over as text.
namespace turnout::postgresql::sql {

inline constexpr char links_to_arrange_by_sums[]
  = "SELECT l.link_key, l.name, l.slug, coalesce(sum(t.clicks), 0),"
    " coalesce(sum(t.conversions), 0) FROM links l"
    " LEFT JOIN variant_totals t ON t.link_key = l.link_key"
    " WHERE l.user_hi = :user_hi AND l.user_lo = :user_lo"
    " AND l.is_deleted = 0 GROUP BY l.link_key, l.name, l.slug, l.created_at,"
    " l.id_hi, l.id_lo ORDER BY l.created_at DESC, l.id_hi DESC, l.id_lo DESC";

inline constexpr char sums_of_links[]
  = "SELECT l.link_key, coalesce(s.clicks, 0), coalesce(s.conversions, 0),"
    " coalesce(v.label, '') FROM (SELECT CAST(value AS BIGINT) AS link_key"
    " FROM json_array_elements_text(CAST(:links AS JSON))) l"
    " LEFT JOIN LATERAL (SELECT CAST(sum(t.clicks) AS BIGINT) AS clicks,"
    " CAST(sum(t.conversions) AS BIGINT) AS conversions"
    " FROM variant_total_sums t WHERE t.link_key = l.link_key) s ON TRUE"
    " LEFT JOIN LATERAL (SELECT x.label FROM variants x"
    " LEFT JOIN variant_total_sums t ON t.link_key = x.link_key"
    " AND t.variant_key = x.variant_key WHERE x.link_key = l.link_key"
    " ORDER BY x.retired, coalesce(t.conversions, 0) DESC,"
    " coalesce(t.clicks, 0) DESC, x.weight DESC, x.position LIMIT 1) v"
    " ON TRUE";

// Few, however many have made up a click.
inline constexpr char conversions_arrived_since[]
  = "SELECT click_hi, click_lo, id_hi, id_lo, link_hi, link_lo, event_id,"
    " value, currency, occurred_at, created_at FROM"
    " (SELECT * FROM waiting_conversions WHERE kept_at >= :since"
    " ORDER BY kept_at DESC LIMIT 200) w WHERE EXISTS (SELECT 1 FROM clicks c"
    " WHERE c.id_hi = w.click_hi AND c.id_lo = w.click_lo)";

// The lock makes the numbers of changes visible in their order: a number is
// taken under it, and it is kept until the transaction has ended. NOTIFY makes
// transactions wait for each other in the same way anyhow.
inline constexpr plugins::dialect words{
  "BEGIN ISOLATION LEVEL REPEATABLE READ",
  "BEGIN ISOLATION LEVEL READ COMMITTED",
  "BEGIN ISOLATION LEVEL REPEATABLE READ",
  "SELECT count(*) FROM pg_tables WHERE tablename = 'schema_migrations'"
  " AND schemaname = current_schema()",
  "SELECT journal, position FROM journal_positions WHERE node_hi = :node_hi"
  " AND node_lo = :node_lo ORDER BY journal FOR UPDATE",
  "WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(7817001))"
  " INSERT INTO changes (kind, id_hi, id_lo)"
  " SELECT CAST(:kind AS INTEGER), CAST(:id_hi AS BIGINT),"
  " CAST(:id_lo AS BIGINT) FROM turn"
  " RETURNING CAST(pg_notify('turnout_changes', '') AS TEXT)",
  links_to_arrange_by_sums,
  conversions_arrived_since,
  "SELECT id_hi, id_lo, link_key, variant_key, stratum, is_repeat,"
  " is_conversion, created_at, country_value, referrer_value, browser_value,"
  " device_value, system_value FROM clicks WHERE id_hi = :id_hi"
  " AND id_lo = :id_lo",
  "SELECT click_hi, click_lo FROM visitors WHERE day = :day"
  " AND link_key = :link AND visitor = :visitor",
  sums_of_links,
};

// Times are in milliseconds: the last one ends what a process left open that
// was stopped half-way.
inline constexpr char settings[]
  = "SET statement_timeout = 8000; SET lock_timeout = 5000;"
    " SET idle_in_transaction_session_timeout = 10000; SET jit = off;"
    " SET client_min_messages = warning";

inline constexpr char allow_long_work[]
  = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;"
    " SET LOCAL idle_in_transaction_session_timeout = 0";

inline constexpr char allow_slow_batch[]
  = "SET LOCAL statement_timeout = 60000; SET LOCAL lock_timeout = 30000";

inline constexpr char wait_briefly_for_locks[]
  = "SET LOCAL lock_timeout = 2000";

inline constexpr char lock_migrations[]
  = "SELECT pg_advisory_xact_lock(7817002)";

inline constexpr char lock_events[]
  = "LOCK TABLE journal_positions, clicks, conversions IN EXCLUSIVE MODE";

inline constexpr char listen[] = "LISTEN turnout_changes";

// -- partitions ---------------------------------------------------------------

inline constexpr char lock_partitions[]
  = "SELECT pg_advisory_xact_lock(7817003)";

inline constexpr char partitions_of[]
  = "SELECT CAST(CAST(inhrelid AS REGCLASS) AS TEXT) FROM pg_inherits"
    " WHERE inhparent = to_regclass(:parent) ORDER BY 1";

// -- events -------------------------------------------------------------------

inline constexpr char links_of_variants[]
  = "SELECT variant_key, link_key FROM variants"
    " WHERE variant_key = ANY (CAST(:variants AS BIGINT[]))";

inline constexpr char known_links[]
  = "SELECT link_key FROM links"
    " WHERE link_key = ANY (CAST(:links AS BIGINT[]))";

inline constexpr char add_clicks[]
  = "INSERT INTO clicks (link_key, id_hi, id_lo, variant_key, stratum,"
    " is_repeat, is_conversion, created_at, visitor, ip_address, user_agent,"
    " referrer, country, country_value, referrer_value, browser_value,"
    " device_value, system_value)"
    " SELECT n.link, n.hi, n.lo, n.variant, n.stratum, n.is_repeat, 0, n.at,"
    " n.visitor, n.ip, n.agent, n.referrer, n.country, n.v1, n.v2, n.v3, n.v4,"
    " n.v5 FROM unnest(CAST(:link AS BIGINT[]), CAST(:hi AS BIGINT[]),"
    " CAST(:lo AS BIGINT[]), CAST(:variant AS BIGINT[]),"
    " CAST(:stratum AS INTEGER[]), CAST(:is_repeat AS INTEGER[]),"
    " CAST(:at AS BIGINT[]), CAST(:visitor AS BIGINT[]), CAST(:ip AS TEXT[]),"
    " CAST(:agent AS TEXT[]), CAST(:referrer AS TEXT[]),"
    " CAST(:country AS TEXT[]), CAST(:v1 AS TEXT[]), CAST(:v2 AS TEXT[]),"
    " CAST(:v3 AS TEXT[]), CAST(:v4 AS TEXT[]), CAST(:v5 AS TEXT[]))"
    " AS n (link, hi, lo, variant, stratum, is_repeat, at, visitor, ip, agent,"
    " referrer, country, v1, v2, v3, v4, v5)"
    " ON CONFLICT DO NOTHING RETURNING id_hi, id_lo";

inline constexpr char add_variant_totals[]
  = "INSERT INTO variant_totals (link_key, variant_key, clicks, converted,"
    " conversions) SELECT * FROM unnest(CAST(:link AS BIGINT[]),"
    " CAST(:variant AS BIGINT[]), CAST(:clicks AS BIGINT[]),"
    " CAST(:converted AS BIGINT[]), CAST(:conversions AS BIGINT[]))"
    " ON CONFLICT (link_key, variant_key) DO UPDATE SET"
    " clicks = variant_totals.clicks + excluded.clicks,"
    " converted = variant_totals.converted + excluded.converted,"
    " conversions = variant_totals.conversions + excluded.conversions";

inline constexpr char add_daily[]
  = "INSERT INTO daily (link_key, day, variant_key, clicks, converted,"
    " conversions, unattributed) SELECT * FROM unnest(CAST(:link AS BIGINT[]),"
    " CAST(:day AS INTEGER[]), CAST(:variant AS BIGINT[]),"
    " CAST(:clicks AS BIGINT[]), CAST(:converted AS BIGINT[]),"
    " CAST(:conversions AS BIGINT[]), CAST(:unattributed AS BIGINT[]))"
    " ON CONFLICT (link_key, day, variant_key) DO UPDATE SET"
    " clicks = daily.clicks + excluded.clicks,"
    " converted = daily.converted + excluded.converted,"
    " conversions = daily.conversions + excluded.conversions,"
    " unattributed = daily.unattributed + excluded.unattributed";

inline constexpr char add_daily_values[]
  = "INSERT INTO daily_values (link_key, dimension, day, value, clicks,"
    " conversions) SELECT * FROM unnest(CAST(:link AS BIGINT[]),"
    " CAST(:dimension AS INTEGER[]), CAST(:day AS INTEGER[]),"
    " CAST(:value AS TEXT[]), CAST(:clicks AS BIGINT[]),"
    " CAST(:conversions AS BIGINT[]))"
    " ON CONFLICT (link_key, dimension, day, value) DO UPDATE SET"
    " clicks = daily_values.clicks + excluded.clicks,"
    " conversions = daily_values.conversions + excluded.conversions";

inline constexpr char add_daily_excluded[]
  = "INSERT INTO daily_excluded (link_key, day, reason, visits)"
    " SELECT * FROM unnest(CAST(:link AS BIGINT[]), CAST(:day AS INTEGER[]),"
    " CAST(:reason AS INTEGER[]), CAST(:visits AS BIGINT[]))"
    " ON CONFLICT (link_key, day, reason)"
    " DO UPDATE SET visits = daily_excluded.visits + excluded.visits";

inline constexpr char add_evidence[]
  = "INSERT INTO evidence (link_key, stratum, variant_key, clicks,"
    " conversions) SELECT * FROM unnest(CAST(:link AS BIGINT[]),"
    " CAST(:stratum AS INTEGER[]), CAST(:variant AS BIGINT[]),"
    " CAST(:clicks AS BIGINT[]), CAST(:conversions AS BIGINT[]))"
    " ON CONFLICT (link_key, stratum, variant_key) DO UPDATE SET"
    " clicks = evidence.clicks + excluded.clicks,"
    " conversions = evidence.conversions + excluded.conversions";

inline constexpr char add_visitors[]
  = "INSERT INTO visitors (link_key, visitor, day, click_hi, click_lo)"
    " SELECT * FROM unnest(CAST(:link AS BIGINT[]),"
    " CAST(:visitor AS BIGINT[]), CAST(:day AS INTEGER[]),"
    " CAST(:hi AS BIGINT[]), CAST(:lo AS BIGINT[]))"
    " ON CONFLICT DO NOTHING RETURNING day, link_key, visitor";

inline constexpr char update_visitors[]
  = "UPDATE visitors v SET click_hi = n.hi, click_lo = n.lo"
    " FROM unnest(CAST(:link AS BIGINT[]), CAST(:visitor AS BIGINT[]),"
    " CAST(:day AS INTEGER[]), CAST(:hi AS BIGINT[]), CAST(:lo AS BIGINT[]))"
    " AS n (link, visitor, day, hi, lo) WHERE v.link_key = n.link"
    " AND v.visitor = n.visitor AND v.day = n.day"
    " AND (v.click_hi, v.click_lo) < (n.hi, n.lo)";

inline constexpr char add_daily_visitors[]
  = "INSERT INTO daily_visitors (link_key, day, uniques)"
    " SELECT * FROM unnest(CAST(:link AS BIGINT[]), CAST(:day AS INTEGER[]),"
    " CAST(:uniques AS BIGINT[])) ON CONFLICT (link_key, day)"
    " DO UPDATE SET uniques = daily_visitors.uniques + excluded.uniques";

// In the order of a link's variants: those in use, retired ones, no variant.
inline constexpr char totals_of_links[]
  = "SELECT l.link_key, l.id_hi, l.id_lo, l.auto_winner, l.version, v.id_hi,"
    " v.id_lo, coalesce(t.clicks, 0), coalesce(t.converted, 0),"
    " coalesce(t.conversions, 0), v.retired * 1000 + v.position AS place"
    " FROM links l JOIN variants v ON v.link_key = l.link_key"
    " LEFT JOIN variant_totals t ON t.link_key = v.link_key"
    " AND t.variant_key = v.variant_key"
    " WHERE l.link_key = ANY (CAST(:links AS BIGINT[]))"
    " AND l.auto_winner >= :least"
    " UNION ALL SELECT l.link_key, l.id_hi, l.id_lo, l.auto_winner, l.version,"
    " 0, 0, t.clicks, t.converted, t.conversions, 1000000 FROM links l"
    " JOIN variant_totals t ON t.link_key = l.link_key AND t.variant_key = 0"
    " WHERE l.link_key = ANY (CAST(:links AS BIGINT[]))"
    " AND l.auto_winner >= :least ORDER BY 1, place";

// -- retention ----------------------------------------------------------------

/// Followed by the name of a partition and `keep_evidence_end`.
inline constexpr char keep_evidence_begin[]
  = "INSERT INTO purged_evidence (link_key, stratum, variant_key, clicks,"
    " conversions) SELECT link_key, stratum, variant_key, count(*),"
    " sum(is_conversion) FROM ";

inline constexpr char keep_evidence_end[]
  = " WHERE is_repeat = 0 GROUP BY link_key, stratum, variant_key"
    " ON CONFLICT (link_key, stratum, variant_key)"
    " DO UPDATE SET clicks = purged_evidence.clicks + excluded.clicks,"
    " conversions = purged_evidence.conversions + excluded.conversions";

} // namespace turnout::postgresql::sql
