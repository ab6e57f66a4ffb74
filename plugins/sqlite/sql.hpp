#pragma once

#include "plugins/sql/dialect.hpp"
#include "plugins/sql/statements.hpp"

/// What SQLite says in its own way, besides its schema (schema.cpp).
namespace turnout::sqlite::sql {

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
inline constexpr char cache_batches[] = "PRAGMA cache_size = -32000";

// -- events, row by row -------------------------------------------------------

inline constexpr char link_of_variant[]
  = "SELECT link_key FROM variants WHERE variant_key = :variant";

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

inline constexpr char append_recent_clicks[]
  = "INSERT INTO recent_clicks (link_key, classes) VALUES (:link, :classes)"
    " ON CONFLICT (link_key)"
    " DO UPDATE SET classes = recent_clicks.classes || excluded.classes";

inline constexpr char get_recent_clicks[]
  = "SELECT classes FROM recent_clicks WHERE link_key = :link";

inline constexpr char remove_recent_clicks[]
  = "DELETE FROM recent_clicks WHERE link_key = :link";

inline constexpr char links_with_recent_clicks[]
  = "SELECT link_key FROM recent_clicks";

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

// The last column is the place in the order, which is not left to SQLite as
// sorting takes longer than the rest: variants, retired ones, no variant.
inline constexpr char totals_of_link[]
  = "SELECT l.id_hi, l.id_lo, v.id_hi, v.id_lo, coalesce(t.clicks, 0),"
    " coalesce(t.converted, 0), coalesce(t.conversions, 0),"
    " v.retired * 1000 + v.position, l.auto_winner, l.version FROM links l"
    " JOIN variants v ON v.link_key = l.link_key"
    " LEFT JOIN variant_totals t ON t.link_key = v.link_key"
    " AND t.variant_key = v.variant_key WHERE l.link_key = :link"
    " UNION ALL SELECT l.id_hi, l.id_lo, 0, 0, t.clicks, t.converted,"
    " t.conversions, 1000000, l.auto_winner, l.version FROM links l"
    " JOIN variant_totals t"
    " ON t.link_key = l.link_key WHERE l.link_key = :link"
    " AND t.variant_key = 0";

inline constexpr char asks_for_winner[]
  = "SELECT auto_winner FROM links WHERE link_key = :link";

} // namespace turnout::sqlite::sql
