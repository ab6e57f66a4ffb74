#pragma once

#include "plugins/sql/dialect.hpp"
#include "plugins/sql/statements.hpp"

/// What SQLite says in its own way, besides its schema (schema.cpp).
namespace turnout::sqlite::sql {

// -- clicks in runs (click_runs.hpp) ------------------------------------------

#define COLUMNS                                                                \
  "c.id_hi, c.id_lo, c.link_key, c.variant_key, c.stratum, c.is_repeat,"       \
  " c.is_conversion, c.created_at, c.country_value, c.referrer_value,"         \
  " c.browser_value, c.device_value, c.system_value"

inline constexpr char find_click[]
  = "SELECT " COLUMNS " FROM click_places i CROSS JOIN places(i.places) p"
    " CROSS JOIN clicks c ON c.link_key = p.link_key AND c.id_hi = :id_hi"
    " AND c.id_lo = :id_lo WHERE i.millisecond = :id_hi >> 16"
    " AND p.mark = :id_lo & 255 AND p.run = 0 UNION ALL "
    "SELECT " COLUMNS " FROM click_places i CROSS JOIN places(i.places) p"
    " CROSS JOIN clicks_of_runs c ON c.run = p.run AND c.link_key = p.link_key"
    " AND c.id_hi = :id_hi AND c.id_lo = :id_lo"
    " WHERE i.millisecond = :id_hi >> 16 AND p.mark = :id_lo & 255"
    " AND p.run > 0";

#undef COLUMNS

// The recent clicks of many links are counted in one go, which takes as long
// for few; those of few are looked up.
inline constexpr char links_to_arrange_by_sums[]
  = "WITH recent AS MATERIALIZED (SELECT link_key, count(*) AS clicks"
    " FROM recent_clicks GROUP BY link_key)"
    " SELECT l.link_key, l.name, l.slug, coalesce((SELECT sum(t.clicks)"
    " FROM variant_totals t WHERE t.link_key = l.link_key), 0)"
    " + CASE WHEN (SELECT count(*) FROM links WHERE user_hi = :user_hi"
    " AND user_lo = :user_lo AND is_deleted = 0) > 10000"
    " THEN coalesce((SELECT r.clicks FROM recent r"
    " WHERE r.link_key = l.link_key), 0)"
    " ELSE (SELECT count(*) FROM recent_clicks c"
    " WHERE c.link_key = l.link_key) END,"
    " coalesce((SELECT sum(t.conversions) FROM variant_totals t"
    " WHERE t.link_key = l.link_key), 0) FROM links l"
    " WHERE l.user_hi = :user_hi AND l.user_lo = :user_lo"
    " AND l.is_deleted = 0"
    " ORDER BY l.created_at DESC, l.id_hi DESC, l.id_lo DESC";

inline constexpr char click_of_visitor[]
  = "SELECT click_hi, click_lo FROM visitors WHERE day = :day"
    " AND link_key = :link AND visitor = :visitor UNION ALL"
    " SELECT id_hi, id_lo FROM recent_clicks WHERE day = :day"
    " AND link_key = :link AND visitor = :visitor"
    " ORDER BY 1 DESC, 2 DESC LIMIT 1";

// Some have a click that only seems to be theirs.
inline constexpr char conversions_arrived_since[]
  = "SELECT click_hi, click_lo, id_hi, id_lo, link_hi, link_lo, event_id,"
    " value, currency, occurred_at, created_at FROM"
    " (SELECT * FROM waiting_conversions WHERE kept_at >= :since"
    " ORDER BY kept_at DESC LIMIT 200) w WHERE EXISTS"
    " (SELECT 1 FROM click_places i CROSS JOIN places(i.places) p"
    " WHERE i.millisecond = w.click_hi >> 16 AND p.mark = w.click_lo & 255)";

// A click of a run has no mark. Changes the only row, to the same, if there is
// one conversion of a click that is in no table: the one that was just added.
inline constexpr char mark_converted_in_runs[]
  = "UPDATE settling SET link_key = link_key WHERE NOT EXISTS"
    " (SELECT 1 FROM clicks WHERE link_key = :link AND id_hi = :id_hi"
    " AND id_lo = :id_lo) AND (SELECT count(*) FROM conversions"
    " WHERE click_hi = :id_hi AND click_lo = :id_lo) = 1";

inline constexpr char purge_runs[]
  = "DELETE FROM packed_clicks WHERE run IN (SELECT run FROM click_runs)"
    " AND link_key = :link AND id_hi >= :first_id AND id_hi < :end_id";

#define IS_FOUND                                                               \
  "EXISTS (SELECT 1 FROM click_places i CROSS JOIN places(i.places) p"         \
  " WHERE i.millisecond = c.id_hi >> 16 AND p.mark = c.id_lo & 255"            \
  " AND p.link_key = c.link_key"

// In the middle of a round they may be underway.
inline constexpr char clicks_without_id[]
  = "SELECT c.id_hi, c.id_lo FROM clicks c WHERE NOT " IS_FOUND
    " AND p.run = 0) AND NOT EXISTS (SELECT 1 FROM open_rounds) UNION ALL"
    " SELECT c.id_hi, c.id_lo FROM clicks_of_runs c WHERE NOT " IS_FOUND
    " AND p.run = c.run) AND NOT EXISTS (SELECT 1 FROM open_rounds)";

inline constexpr char repair_ids[]
  = "INSERT INTO click_places (millisecond, places)"
    " SELECT c.id_hi >> 16, packed_place(c.id_lo & 255, c.link_key, 0)"
    " FROM clicks c WHERE NOT " IS_FOUND " AND p.run = 0) UNION ALL"
    " SELECT c.id_hi >> 16, packed_place(c.id_lo & 255, c.link_key, c.run)"
    " FROM clicks_of_runs c WHERE NOT " IS_FOUND " AND p.run = c.run)"
    " ON CONFLICT (millisecond) DO UPDATE SET"
    " places = CAST(click_places.places || excluded.places AS BLOB)";

#undef IS_FOUND

inline constexpr char newest_run[]
  = "SELECT run, clicks, first_day, is_settled FROM click_runs"
    " ORDER BY run DESC LIMIT 1";

inline constexpr char add_run[]
  = "INSERT INTO click_runs (clicks, first_day, is_settled)"
    " VALUES (0, :day, 0) RETURNING run";

inline constexpr char grow_run[]
  = "UPDATE click_runs SET clicks = clicks + :clicks,"
    " packs = packs + :packs, first_day = min(first_day, :day)"
    " WHERE run = :run";

// Fails for those that are there.
inline constexpr char add_packed_clicks[]
  = "INSERT INTO packed_clicks (run, link_key, id_hi, id_lo, clicks)"
    " VALUES (:run, :link, :id_hi, :id_lo, :clicks)";

inline constexpr char list_run_agents[]
  = "SELECT agent, user_agent, browser_value, device_value, system_value"
    " FROM run_agents WHERE run = :run";

inline constexpr char last_run_agent[]
  = "SELECT coalesce(max(agent), 0) FROM run_agents WHERE run = :run";

inline constexpr char find_run_agent[]
  = "SELECT browser_value, device_value, system_value FROM run_agents"
    " WHERE run = :run AND agent = :agent";

inline constexpr char add_run_agent[]
  = "INSERT INTO run_agents (run, agent, user_agent, browser_value,"
    " device_value, system_value) VALUES (:run, :agent, :user_agent, :browser,"
    " :device, :system)";

inline constexpr char find_click_place[]
  = "SELECT 1 FROM click_places i CROSS JOIN places(i.places) p"
    " WHERE i.millisecond = :millisecond AND p.mark = :mark"
    " AND p.link_key = :link AND p.run = :run";

inline constexpr char add_click_places[]
  = "INSERT INTO click_places (millisecond, places) VALUES (:millisecond,"
    " :places) ON CONFLICT (millisecond) DO UPDATE SET"
    " places = CAST(click_places.places || excluded.places AS BLOB)";

// What was stored before a round was cut off is in the table of clicks or in
// the runs since then.
inline constexpr char run_of_stored_click[]
  = "SELECT 0 FROM clicks WHERE link_key = :link AND id_hi = :id_hi"
    " AND id_lo = :id_lo UNION ALL SELECT c.run FROM click_runs r"
    " CROSS JOIN clicks_of_runs c ON c.run = r.run WHERE r.run >= :run"
    " AND c.link_key = :link AND c.id_hi = :id_hi AND c.id_lo = :id_lo";

inline constexpr char find_open_round[]
  = "SELECT run FROM open_rounds WHERE node_hi = :node_hi"
    " AND node_lo = :node_lo ORDER BY run LIMIT 1";

inline constexpr char open_round[]
  = "INSERT INTO open_rounds (node_hi, node_lo, journal, last, run)"
    " VALUES (:node_hi, :node_lo, :journal, :last, :run)"
    " ON CONFLICT (node_hi, node_lo, journal)"
    " DO UPDATE SET last = max(last, excluded.last)";

// A round that is read again after it was cut off may be shorter.
inline constexpr char close_round[]
  = "DELETE FROM open_rounds WHERE node_hi = :node_hi"
    " AND node_lo = :node_lo AND last <= (SELECT p.position"
    " FROM journal_positions p WHERE p.node_hi = open_rounds.node_hi"
    " AND p.node_lo = open_rounds.node_lo"
    " AND p.journal = open_rounds.journal)";

inline constexpr char get_settling[]
  = "SELECT until_run, link_key FROM settling";

inline constexpr char set_settling[]
  = "UPDATE settling SET until_run = :run, link_key = :link";

inline constexpr char unsettled_runs[]
  = "SELECT run, clicks, packs, first_day FROM click_runs WHERE is_settled = 0"
    " ORDER BY run";

// The last link of a part that has so many rows of a run.
inline constexpr char end_of_part[]
  = "SELECT link_key FROM packed_clicks WHERE run = :run"
    " AND link_key > :after ORDER BY link_key LIMIT 1 OFFSET :packs";

inline constexpr char clicks_of_part[]
  = "SELECT link_key, clicks FROM packed_clicks WHERE run = :run"
    " AND link_key > :after AND link_key <= :last";

inline constexpr char end_settling[]
  = "UPDATE click_runs SET is_settled = 1 WHERE is_settled = 0"
    " AND run <= :run";

inline constexpr char first_click_place[]
  = "SELECT millisecond FROM click_places WHERE millisecond < :end"
    " ORDER BY millisecond LIMIT 1";

// Late clicks may have come since their day was purged.
inline constexpr char forget_click_places[]
  = "DELETE FROM click_places WHERE millisecond >= :first"
    " AND millisecond < :end AND NOT EXISTS (SELECT 1"
    " FROM places(click_places.places) p CROSS JOIN clicks c"
    " ON c.link_key = p.link_key AND c.id_hi >= millisecond << 16"
    " AND c.id_hi < (millisecond + 1) << 16)";

inline constexpr char forget_empty_runs[]
  = "DELETE FROM click_runs WHERE is_settled = 1 AND NOT EXISTS"
    " (SELECT 1 FROM packed_clicks c WHERE c.run = click_runs.run)";

// -- connection ---------------------------------------------------------------

// A write transaction takes the lock at once, as one that first reads and then
// writes could fail half-way when another one wrote in between. Writers are
// alone, so there are no rows to lock.
inline constexpr plugins::dialect words{
  "BEGIN",
  "BEGIN IMMEDIATE",
  "BEGIN IMMEDIATE",
  "SELECT count(*) FROM sqlite_master WHERE name = 'schema_migrations'",
  plugins::sql::positions_of_node,
  "INSERT INTO changes (kind, id_hi, id_lo) VALUES (:kind, :id_hi, :id_lo)",
  links_to_arrange_by_sums,
  conversions_arrived_since,
  find_click,
  click_of_visitor,
  nullptr,
  mark_converted_in_runs,
  purge_runs,
  clicks_without_id,
  repair_ids,
};

inline constexpr char get_journal_mode[] = "PRAGMA journal_mode";

inline constexpr char set_journal_mode[] = "PRAGMA journal_mode = WAL";

// `cache_size` is in KiB when negative, and of each connection: what the cache
// does not hold the system's does. The checkpoint comes every 64 MB: pages that
// several batches wrote are then copied once.
inline constexpr const char* settings[] = {
  "PRAGMA synchronous = NORMAL",
  "PRAGMA foreign_keys = ON",
  "PRAGMA cache_size = -4000",
  "PRAGMA wal_autocheckpoint = 16000",
};

// A batch must find the pages that it wrote before, or it would write them
// again and again.
inline constexpr char cache_batches[] = "PRAGMA cache_size = -12000";

// -- events, row by row -------------------------------------------------------

inline constexpr char variants_from[]
  = "SELECT variant_key, link_key FROM variants INDEXED BY variants_with_link"
    " WHERE variant_key >= :first ORDER BY variant_key";

inline constexpr char has_link[]
  = "SELECT link_key FROM links WHERE link_key = :link";

inline constexpr char add_click[]
  = "INSERT INTO clicks (link_key, id_hi, id_lo, variant_key, stratum,"
    " is_repeat, is_conversion, created_at, visitor, ip_address, user_agent,"
    " referrer, country, country_value, referrer_value, browser_value,"
    " device_value, system_value) VALUES (:link, :id_hi, :id_lo, :variant,"
    " :stratum, :is_repeat, 0, :created_at, :visitor, :ip, :user_agent,"
    " :referrer, :country, :country_value, :referrer_value, :browser, :device,"
    " :system) ON CONFLICT DO NOTHING";

inline constexpr char add_visitor[]
  = "INSERT INTO visitors (day, link_key, visitor, click_hi, click_lo)"
    " VALUES (:day, :link, :visitor, :click_hi, :click_lo)"
    " ON CONFLICT DO NOTHING";

inline constexpr char update_visitor[]
  = "UPDATE visitors SET click_hi = :click_hi, click_lo = :click_lo"
    " WHERE day = :day AND link_key = :link AND visitor = :visitor"
    " AND (click_hi, click_lo) < (:click_hi, :click_lo)";

inline constexpr char forget_visitors[]
  = "DELETE FROM visitors WHERE day < :day";

inline constexpr char add_variant_totals[]
  = "INSERT INTO variant_totals (link_key, variant_key, clicks, converted,"
    " conversions) VALUES (:link, :variant, :clicks, :converted, :conversions)"
    " ON CONFLICT (link_key, variant_key) DO UPDATE SET"
    " clicks = variant_totals.clicks + excluded.clicks,"
    " converted = variant_totals.converted + excluded.converted,"
    " conversions = variant_totals.conversions + excluded.conversions";

inline constexpr char add_daily[]
  = "INSERT INTO daily (link_key, day, variant_key, clicks, converted,"
    " conversions, unattributed) VALUES (:link, :day, :variant, :clicks,"
    " :converted, :conversions, :unattributed)"
    " ON CONFLICT (link_key, day, variant_key) DO UPDATE SET"
    " clicks = daily.clicks + excluded.clicks,"
    " converted = daily.converted + excluded.converted,"
    " conversions = daily.conversions + excluded.conversions,"
    " unattributed = daily.unattributed + excluded.unattributed";

inline constexpr char add_daily_visitors[]
  = "INSERT INTO daily_visitors (link_key, day, uniques)"
    " VALUES (:link, :day, :uniques) ON CONFLICT (link_key, day)"
    " DO UPDATE SET uniques = daily_visitors.uniques + excluded.uniques";

inline constexpr char add_daily_values[]
  = "INSERT INTO daily_values (link_key, dimension, day, value, clicks,"
    " conversions) VALUES (:link, :dimension, :day, :value, :clicks,"
    " :conversions) ON CONFLICT (link_key, dimension, day, value)"
    " DO UPDATE SET clicks = daily_values.clicks + excluded.clicks,"
    " conversions = daily_values.conversions + excluded.conversions";

inline constexpr char add_daily_excluded[]
  = "INSERT INTO daily_excluded (link_key, day, reason, visits)"
    " VALUES (:link, :day, :reason, :visits)"
    " ON CONFLICT (link_key, day, reason)"
    " DO UPDATE SET visits = daily_excluded.visits + excluded.visits";

inline constexpr char add_evidence[]
  = "INSERT INTO evidence (link_key, stratum, variant_key, clicks,"
    " conversions) VALUES (:link, :stratum, :variant, :clicks, :conversions)"
    " ON CONFLICT (link_key, stratum, variant_key)"
    " DO UPDATE SET clicks = evidence.clicks + excluded.clicks,"
    " conversions = evidence.conversions + excluded.conversions";

// Without recent clicks. The eighth column is the place in the order, which is
// not left to SQLite as sorting takes longer than the rest: variants, retired
// ones, no variant.
inline constexpr char totals_of_link[]
  = "SELECT l.id_hi, l.id_lo, v.id_hi, v.id_lo, coalesce(t.clicks, 0),"
    " coalesce(t.converted, 0), coalesce(t.conversions, 0),"
    " v.retired * 1000 + v.position, l.auto_winner, l.version, v.variant_key"
    " FROM links l JOIN variants v ON v.link_key = l.link_key"
    " LEFT JOIN variant_totals t ON t.link_key = v.link_key"
    " AND t.variant_key = v.variant_key WHERE l.link_key = :link"
    " UNION ALL SELECT l.id_hi, l.id_lo, 0, 0, t.clicks, t.converted,"
    " t.conversions, 1000000, l.auto_winner, l.version, 0 FROM links l"
    " JOIN variant_totals t"
    " ON t.link_key = l.link_key WHERE l.link_key = :link"
    " AND t.variant_key = 0";

// Each batch asks this for each link that wants a winner, which the views would
// make several times as dear.
inline constexpr char recent_clicks_of_link[]
  = "SELECT p.clicks FROM settling s CROSS JOIN click_runs r"
    " CROSS JOIN packed_clicks p ON p.run = r.run AND p.link_key = :link"
    " WHERE r.is_settled = 0 AND (r.run > s.until_run"
    " OR p.link_key > s.link_key)";

inline constexpr char links_asking_for_winner[]
  = "SELECT link_key FROM links INDEXED BY links_asking_for_winner"
    " WHERE auto_winner = 1 AND link_key BETWEEN :first AND :last";

} // namespace turnout::sqlite::sql
