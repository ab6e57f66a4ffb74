#include "plugins/sqlite/schema.hpp"

namespace turnout::sqlite {

// A uuid is two INTEGER columns (hi, lo), a time microseconds since 1970, a day
// the number of the UTC day. Absent values are 0 or '', never NULL; the table
// of variants starts at 1, so variant 0 is "no variant". Tables are clustered
// by how they are read (WITHOUT ROWID).

namespace {

/// Returns the columns of a click, of a table with this prefix.
std::string columns_of_click(const std::string& prefix) {
  std::string result;
  for (const char* x :
       {"link_key", "id_hi", "id_lo", "variant_key", "stratum", "is_repeat",
        "is_conversion", "created_at", "visitor", "ip_address", "user_agent",
        "referrer", "country", "country_value", "referrer_value",
        "browser_value", "device_value", "system_value"})
    result += (result.empty() ? "" : ", ") + prefix + x;
  return result;
}

/// Returns a text of a click `c` of a run, which may be with its user agent
/// instead. SQLite looks into each part of a UNION ALL if the columns of all
/// are texts by declaration.
std::string text_in_run(const std::string& column, const char* missing,
                        const std::string& run = "c.run") {
  return "CAST(CASE c.agent WHEN 0 THEN c." + column
         + " ELSE coalesce((SELECT a." + column
         + " FROM run_agents a WHERE a.run = " + run
         + " AND a.agent = c.agent), '" + missing + "') END AS TEXT) AS "
         + column;
}

} // namespace

const std::vector<storage::migration>& schema() {
  static const std::vector<storage::migration> steps{
    {1,
     "first schema",
     {
       // -- accounts, keys, links ---------------------------------------------
       "CREATE TABLE schema_migrations ("
       " version INTEGER PRIMARY KEY, title TEXT NOT NULL,"
       " applied_at INTEGER NOT NULL)",

       "CREATE TABLE accounts ("
       " id_hi INTEGER NOT NULL, id_lo INTEGER NOT NULL,"
       " email TEXT NOT NULL, folded_email TEXT NOT NULL,"
       " password_hash TEXT NOT NULL, api_access INTEGER NOT NULL,"
       " rate_limit INTEGER NOT NULL, created_at INTEGER NOT NULL,"
       " PRIMARY KEY (id_hi, id_lo)) WITHOUT ROWID",
       "CREATE UNIQUE INDEX accounts_by_email ON accounts (folded_email)"
       " WHERE folded_email <> ''",

       "CREATE TABLE api_keys ("
       " id_hi INTEGER NOT NULL, id_lo INTEGER NOT NULL,"
       " account_hi INTEGER NOT NULL, account_lo INTEGER NOT NULL,"
       " type INTEGER NOT NULL, name TEXT NOT NULL, prefix TEXT NOT NULL,"
       " hash TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL,"
       " last_used_at INTEGER NOT NULL, is_active INTEGER NOT NULL,"
       " PRIMARY KEY (id_hi, id_lo)) WITHOUT ROWID",

       "CREATE TABLE links ("
       " link_key INTEGER PRIMARY KEY,"
       " id_hi INTEGER NOT NULL, id_lo INTEGER NOT NULL,"
       " user_hi INTEGER NOT NULL, user_lo INTEGER NOT NULL,"
       " slug TEXT NOT NULL, name TEXT NOT NULL,"
       " is_active INTEGER NOT NULL, is_deleted INTEGER NOT NULL,"
       " auto_winner INTEGER NOT NULL,"
       " auto_winner_threshold INTEGER NOT NULL, routing INTEGER NOT NULL,"
       " geo TEXT NOT NULL, enable_conversion_tracking INTEGER NOT NULL,"
       " conversion_redirect_url TEXT NOT NULL,"
       " created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,"
       " generation INTEGER NOT NULL, stratum INTEGER NOT NULL,"
       " version INTEGER NOT NULL)",
       "CREATE UNIQUE INDEX links_by_slug ON links (slug)",
       "CREATE UNIQUE INDEX links_by_id ON links (id_hi, id_lo)",
       "CREATE INDEX links_by_user ON links"
       " (user_hi, user_lo, created_at, id_hi, id_lo) WHERE is_deleted = 0",

       "CREATE TABLE variants ("
       " variant_key INTEGER PRIMARY KEY,"
       " link_key INTEGER NOT NULL REFERENCES links,"
       " id_hi INTEGER NOT NULL, id_lo INTEGER NOT NULL,"
       " label TEXT NOT NULL, destination_url TEXT NOT NULL,"
       " weight INTEGER NOT NULL, is_winner INTEGER NOT NULL,"
       " retired INTEGER NOT NULL, position INTEGER NOT NULL,"
       " created_at INTEGER NOT NULL, UNIQUE (link_key, label))",

       "CREATE TABLE strata ("
       " link_key INTEGER NOT NULL REFERENCES links,"
       " number INTEGER NOT NULL, generation INTEGER NOT NULL,"
       " weights TEXT NOT NULL, PRIMARY KEY (link_key, number)) WITHOUT ROWID",

       "CREATE TABLE idempotency ("
       " account_hi INTEGER NOT NULL, account_lo INTEGER NOT NULL,"
       " key TEXT NOT NULL, body_hash TEXT NOT NULL, response TEXT NOT NULL,"
       " expires_at INTEGER NOT NULL,"
       " PRIMARY KEY (account_hi, account_lo, key)) WITHOUT ROWID",
       "CREATE INDEX idempotency_by_expiry ON idempotency (expires_at)",

       // -- raw events --------------------------------------------------------
       "CREATE TABLE clicks ("
       " link_key INTEGER NOT NULL,"
       " id_hi INTEGER NOT NULL, id_lo INTEGER NOT NULL,"
       " variant_key INTEGER NOT NULL, stratum INTEGER NOT NULL,"
       " is_repeat INTEGER NOT NULL, is_conversion INTEGER NOT NULL,"
       " created_at INTEGER NOT NULL, visitor INTEGER NOT NULL,"
       " ip_address TEXT NOT NULL, user_agent TEXT NOT NULL,"
       " referrer TEXT NOT NULL, country TEXT NOT NULL,"
       " country_value TEXT NOT NULL, referrer_value TEXT NOT NULL,"
       " browser_value TEXT NOT NULL, device_value TEXT NOT NULL,"
       " system_value TEXT NOT NULL,"
       " PRIMARY KEY (link_key, id_hi, id_lo)) WITHOUT ROWID",
       "CREATE UNIQUE INDEX clicks_by_id ON clicks (id_hi, id_lo)",

       "CREATE TABLE conversions ("
       " link_key INTEGER NOT NULL, created_at INTEGER NOT NULL,"
       " id_hi INTEGER NOT NULL, id_lo INTEGER NOT NULL,"
       " variant_key INTEGER NOT NULL,"
       " click_hi INTEGER NOT NULL, click_lo INTEGER NOT NULL,"
       " event_id TEXT NOT NULL, value TEXT NOT NULL, currency TEXT NOT NULL,"
       " occurred_at INTEGER NOT NULL,"
       " country_value TEXT NOT NULL, referrer_value TEXT NOT NULL,"
       " browser_value TEXT NOT NULL, device_value TEXT NOT NULL,"
       " system_value TEXT NOT NULL,"
       " PRIMARY KEY (link_key, created_at, id_hi, id_lo)) WITHOUT ROWID",
       "CREATE UNIQUE INDEX conversions_by_event"
       " ON conversions (link_key, event_id) WHERE event_id <> ''",
       "CREATE INDEX conversions_by_click ON conversions (click_hi, click_lo)",

       "CREATE TABLE visitors ("
       " day INTEGER NOT NULL, link_key INTEGER NOT NULL,"
       " visitor INTEGER NOT NULL,"
       " click_hi INTEGER NOT NULL, click_lo INTEGER NOT NULL,"
       " PRIMARY KEY (day, link_key, visitor)) WITHOUT ROWID",

       // -- roll-ups ----------------------------------------------------------
       "CREATE TABLE variant_totals ("
       " link_key INTEGER NOT NULL, variant_key INTEGER NOT NULL,"
       " clicks INTEGER NOT NULL, converted INTEGER NOT NULL,"
       " conversions INTEGER NOT NULL,"
       " PRIMARY KEY (link_key, variant_key)) WITHOUT ROWID",

       "CREATE TABLE daily ("
       " link_key INTEGER NOT NULL, day INTEGER NOT NULL,"
       " variant_key INTEGER NOT NULL, clicks INTEGER NOT NULL,"
       " converted INTEGER NOT NULL, conversions INTEGER NOT NULL,"
       " unattributed INTEGER NOT NULL,"
       " PRIMARY KEY (link_key, day, variant_key)) WITHOUT ROWID",

       "CREATE TABLE daily_visitors ("
       " link_key INTEGER NOT NULL, day INTEGER NOT NULL,"
       " uniques INTEGER NOT NULL, PRIMARY KEY (link_key, day)) WITHOUT ROWID",

       "CREATE TABLE daily_values ("
       " link_key INTEGER NOT NULL, dimension INTEGER NOT NULL,"
       " day INTEGER NOT NULL, value TEXT NOT NULL, clicks INTEGER NOT NULL,"
       " conversions INTEGER NOT NULL,"
       " PRIMARY KEY (link_key, dimension, day, value)) WITHOUT ROWID",

       "CREATE TABLE daily_excluded ("
       " link_key INTEGER NOT NULL, day INTEGER NOT NULL,"
       " reason INTEGER NOT NULL, visits INTEGER NOT NULL,"
       " PRIMARY KEY (link_key, day, reason)) WITHOUT ROWID",

       "CREATE TABLE evidence ("
       " link_key INTEGER NOT NULL, stratum INTEGER NOT NULL,"
       " variant_key INTEGER NOT NULL, clicks INTEGER NOT NULL,"
       " conversions INTEGER NOT NULL,"
       " PRIMARY KEY (link_key, stratum, variant_key)) WITHOUT ROWID",

       // What `evidence` owes to clicks that were purged.
       "CREATE TABLE purged_evidence ("
       " link_key INTEGER NOT NULL, stratum INTEGER NOT NULL,"
       " variant_key INTEGER NOT NULL, clicks INTEGER NOT NULL,"
       " conversions INTEGER NOT NULL,"
       " PRIMARY KEY (link_key, stratum, variant_key)) WITHOUT ROWID",

       // -- shared state ------------------------------------------------------
       "CREATE TABLE journal_positions ("
       " node_hi INTEGER NOT NULL, node_lo INTEGER NOT NULL,"
       " journal INTEGER NOT NULL, position INTEGER NOT NULL,"
       " PRIMARY KEY (node_hi, node_lo, journal)) WITHOUT ROWID",

       "CREATE TABLE day_secrets (day INTEGER PRIMARY KEY,"
       " secret TEXT NOT NULL)",

       "CREATE TABLE changes (seq INTEGER PRIMARY KEY AUTOINCREMENT,"
       " kind INTEGER NOT NULL, id_hi INTEGER NOT NULL,"
       " id_lo INTEGER NOT NULL)",

       // Days before which visitors are forgotten and clicks are purged.
       "CREATE TABLE horizons (visitors INTEGER NOT NULL,"
       " clicks INTEGER NOT NULL)",
       "INSERT INTO horizons VALUES (0, 0)",
     }},
    {2,
     "recommendations",
     {
       // 0 for strata that are older than this step.
       "ALTER TABLE strata ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0",

       // The key makes a recommendation once for a link and generation.
       "CREATE TABLE recommendations ("
       " link_key INTEGER NOT NULL REFERENCES links,"
       " generation INTEGER NOT NULL,"
       " variant_hi INTEGER NOT NULL, variant_lo INTEGER NOT NULL,"
       " label TEXT NOT NULL, decided_at INTEGER NOT NULL,"
       " cause INTEGER NOT NULL,"
       " conversion_hi INTEGER NOT NULL, conversion_lo INTEGER NOT NULL,"
       " method TEXT NOT NULL, threshold INTEGER NOT NULL,"
       " snapshot TEXT NOT NULL,"
       " PRIMARY KEY (link_key, generation)) WITHOUT ROWID",
     }},
    {3,
     "rate limit windows",
     {
       // By hour first, so that old ones are forgotten without a search.
       "CREATE TABLE rate_windows ("
       " hour INTEGER NOT NULL,"
       " account_hi INTEGER NOT NULL, account_lo INTEGER NOT NULL,"
       " used INTEGER NOT NULL,"
       " PRIMARY KEY (hour, account_hi, account_lo)) WITHOUT ROWID",
     }},
    {4,
     "sessions",
     {
       "CREATE INDEX api_keys_by_account ON api_keys (account_hi, account_lo)",

       // Tokens that were rotated stay until they expire, so that their reuse
       // is noticed.
       "CREATE TABLE refresh_tokens (hash TEXT PRIMARY KEY,"
       " family_hi INTEGER NOT NULL, family_lo INTEGER NOT NULL,"
       " account_hi INTEGER NOT NULL, account_lo INTEGER NOT NULL,"
       " created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,"
       " is_used INTEGER NOT NULL) WITHOUT ROWID",
       "CREATE INDEX refresh_tokens_by_family"
       " ON refresh_tokens (family_hi, family_lo)",
       "CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at)",
     }},
    {5,
     "imported clicks",
     {
       // Fixed when the link is made.
       "ALTER TABLE links ADD COLUMN imported_clicks INTEGER NOT NULL"
       " DEFAULT 0",
     }},
    {6,
     "conversions before their click",
     {
       "CREATE TABLE waiting_conversions ("
       " click_hi INTEGER NOT NULL, click_lo INTEGER NOT NULL,"
       " id_hi INTEGER NOT NULL, id_lo INTEGER NOT NULL,"
       " link_hi INTEGER NOT NULL, link_lo INTEGER NOT NULL,"
       " event_id TEXT NOT NULL, value TEXT NOT NULL,"
       " currency TEXT NOT NULL, occurred_at INTEGER NOT NULL,"
       " created_at INTEGER NOT NULL, kept_at INTEGER NOT NULL,"
       " PRIMARY KEY (click_hi, click_lo, id_hi, id_lo)) WITHOUT ROWID",
       "CREATE INDEX waiting_conversions_by_age"
       " ON waiting_conversions (kept_at)",
     }},
    {7,
     "sessions of the dashboard",
     {
       "CREATE TABLE web_sessions (hash TEXT PRIMARY KEY,"
       " family_hi INTEGER NOT NULL, family_lo INTEGER NOT NULL,"
       " account_hi INTEGER NOT NULL, account_lo INTEGER NOT NULL,"
       " email TEXT NOT NULL,"
       " created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT "
       "ROWID",
       "CREATE INDEX web_sessions_by_family"
       " ON web_sessions (family_hi, family_lo)",
       "CREATE INDEX web_sessions_by_expiry ON web_sessions (expires_at)",
     }},
    {8,
     "recent clicks",
     {
       // Classes of clicks of a link that are not in its roll-ups by day yet
       // (recent_clicks.hpp), and the roll-ups with them.
       "CREATE TABLE recent_clicks (link_key INTEGER PRIMARY KEY,"
       " classes TEXT NOT NULL)",

       "CREATE VIEW daily_sums AS SELECT link_key, day, variant_key, clicks,"
       " converted, conversions, unattributed FROM daily UNION ALL"
       " SELECT r.link_key, c.value ->> 0, c.value ->> 1, c.value ->> 2, 0, 0,"
       " 0 FROM recent_clicks r,"
       " json_each('[' || substr(r.classes, 2) || ']') c"
       " WHERE json_array_length(c.value) > 2",

       "CREATE VIEW daily_visitor_sums AS SELECT link_key, day, uniques"
       " FROM daily_visitors UNION ALL"
       " SELECT r.link_key, c.value ->> 0, c.value ->> 1 FROM recent_clicks r,"
       " json_each('[' || substr(r.classes, 2) || ']') c"
       " WHERE json_array_length(c.value) = 2",

       "CREATE VIEW daily_value_sums AS SELECT link_key, dimension, day,"
       " value, clicks, conversions FROM daily_values UNION ALL"
       " SELECT r.link_key, v.key - 3, c.value ->> 0, v.value, c.value ->> 2,"
       " 0 FROM recent_clicks r,"
       " json_each('[' || substr(r.classes, 2) || ']') c,"
       " json_each(c.value) v WHERE v.key > 2",
     }},
    {9,
     "runs of clicks",
     {
       // What the step before kept in texts goes to the rows it stands for.
       "INSERT INTO daily SELECT r.link_key, c.value ->> 0, c.value ->> 1,"
       " sum(c.value ->> 2), 0, 0, 0 FROM recent_clicks r,"
       " json_each('[' || substr(r.classes, 2) || ']') c"
       " WHERE json_array_length(c.value) > 2 GROUP BY 1, 2, 3"
       " ON CONFLICT (link_key, day, variant_key)"
       " DO UPDATE SET clicks = daily.clicks + excluded.clicks",
       "INSERT INTO daily_visitors SELECT r.link_key, c.value ->> 0,"
       " sum(c.value ->> 1) FROM recent_clicks r,"
       " json_each('[' || substr(r.classes, 2) || ']') c"
       " WHERE json_array_length(c.value) = 2 GROUP BY 1, 2"
       " ON CONFLICT (link_key, day)"
       " DO UPDATE SET uniques = daily_visitors.uniques + excluded.uniques",
       "INSERT INTO daily_values SELECT r.link_key, v.key - 3, c.value ->> 0,"
       " v.value, sum(c.value ->> 2), 0 FROM recent_clicks r,"
       " json_each('[' || substr(r.classes, 2) || ']') c,"
       " json_each(c.value) v WHERE v.key > 2 GROUP BY 1, 2, 3, 4"
       " ON CONFLICT (link_key, dimension, day, value)"
       " DO UPDATE SET clicks = daily_values.clicks + excluded.clicks",
       "DROP VIEW daily_sums",
       "DROP VIEW daily_visitor_sums",
       "DROP VIEW daily_value_sums",
       "DROP TABLE recent_clicks",

       // Where the click of an id is; run 0 is the table of clicks.
       "CREATE TABLE click_ids (id_hi INTEGER NOT NULL,"
       " id_lo INTEGER NOT NULL, link_key INTEGER NOT NULL,"
       " run INTEGER NOT NULL, PRIMARY KEY (id_hi, id_lo)) WITHOUT ROWID",
       "INSERT INTO click_ids SELECT id_hi, id_lo, link_key, 0 FROM clicks"
       " ORDER BY id_hi, id_lo",
       "DROP INDEX clicks_by_id",

       // What each batch asks of many links, without the rest of their rows.
       "CREATE INDEX variants_with_link ON variants (variant_key, link_key)",
       "CREATE INDEX links_asking_for_winner ON links (link_key)"
       " WHERE auto_winner = 1",

       // Runs (click_runs.hpp): `clicks` is how many a run got, `first_day` the
       // first of their days, `is_settled` whether these are in the roll-ups.
       "CREATE TABLE click_runs (run INTEGER PRIMARY KEY AUTOINCREMENT,"
       " clicks INTEGER NOT NULL, first_day INTEGER NOT NULL,"
       " is_settled INTEGER NOT NULL)",
       "CREATE INDEX runs_by_state ON click_runs (is_settled)",

       "CREATE TABLE run_clicks ("
       " run INTEGER NOT NULL, link_key INTEGER NOT NULL,"
       " id_hi INTEGER NOT NULL, id_lo INTEGER NOT NULL,"
       " variant_key INTEGER NOT NULL, stratum INTEGER NOT NULL,"
       " is_repeat INTEGER NOT NULL, is_conversion INTEGER NOT NULL,"
       " created_at INTEGER NOT NULL, visitor INTEGER NOT NULL,"
       " ip_address TEXT NOT NULL, user_agent TEXT NOT NULL,"
       " referrer TEXT NOT NULL, country TEXT NOT NULL,"
       " country_value TEXT NOT NULL, referrer_value TEXT NOT NULL,"
       " browser_value TEXT NOT NULL, device_value TEXT NOT NULL,"
       " system_value TEXT NOT NULL,"
       " PRIMARY KEY (run, link_key, id_hi, id_lo)) WITHOUT ROWID",

       // How far the runs up to `until_run` are settled: the links up to
       // `link_key` are.
       "CREATE TABLE settling (until_run INTEGER NOT NULL,"
       " link_key INTEGER NOT NULL)",
       "INSERT INTO settling VALUES (0, 0)",

       // Rounds of which parts are stored: to which position of a journal they
       // go, and the run they began in.
       "CREATE TABLE open_rounds ("
       " node_hi INTEGER NOT NULL, node_lo INTEGER NOT NULL,"
       " journal INTEGER NOT NULL, last INTEGER NOT NULL,"
       " run INTEGER NOT NULL,"
       " PRIMARY KEY (node_hi, node_lo, journal)) WITHOUT ROWID",

       "CREATE VIEW all_clicks AS SELECT link_key, id_hi, id_lo,"
       " variant_key, stratum, is_repeat, is_conversion, created_at,"
       " visitor, ip_address, user_agent, referrer, country,"
       " country_value, referrer_value, browser_value, device_value,"
       " system_value FROM clicks UNION ALL SELECT c.link_key, c.id_hi,"
       " c.id_lo, c.variant_key, c.stratum, c.is_repeat,"
       " c.is_conversion, c.created_at, c.visitor, c.ip_address,"
       " c.user_agent, c.referrer, c.country, c.country_value,"
       " c.referrer_value, c.browser_value, c.device_value,"
       " c.system_value FROM click_runs r CROSS JOIN run_clicks c ON"
       " c.run = r.run",

       // Those that are not in the roll-ups.
       "CREATE VIEW recent_clicks AS SELECT c.link_key, c.id_hi,"
       " c.id_lo, c.variant_key, c.stratum, c.is_repeat,"
       " c.is_conversion, c.created_at, c.visitor, c.ip_address,"
       " c.user_agent, c.referrer, c.country, c.country_value,"
       " c.referrer_value, c.browser_value, c.device_value,"
       " c.system_value, c.created_at / 86400000000 AS day FROM"
       " settling s CROSS JOIN click_runs r CROSS JOIN run_clicks c ON"
       " c.run = r.run WHERE r.is_settled = 0 AND (r.run > s.until_run"
       " OR c.link_key > s.link_key)",

       "CREATE VIEW daily_sums AS SELECT link_key, day, variant_key, clicks,"
       " converted, conversions, unattributed FROM daily UNION ALL"
       " SELECT link_key, day, variant_key, 1, 0, 0, 0 FROM recent_clicks",

       "CREATE VIEW daily_visitor_sums AS SELECT link_key, day, uniques"
       " FROM daily_visitors UNION ALL"
       " SELECT link_key, day, count(DISTINCT visitor) FROM recent_clicks c"
       " WHERE NOT EXISTS (SELECT 1 FROM visitors v WHERE v.day = c.day"
       " AND v.link_key = c.link_key AND v.visitor = c.visitor)"
       " GROUP BY link_key, day",

       "CREATE VIEW daily_value_sums AS SELECT link_key, dimension, day,"
       " value, clicks, conversions FROM daily_values"
       " UNION ALL SELECT link_key, 0, day, country_value, 1, 0"
       " FROM recent_clicks"
       " UNION ALL SELECT link_key, 1, day, referrer_value, 1, 0"
       " FROM recent_clicks"
       " UNION ALL SELECT link_key, 2, day, browser_value, 1, 0"
       " FROM recent_clicks"
       " UNION ALL SELECT link_key, 3, day, device_value, 1, 0"
       " FROM recent_clicks"
       " UNION ALL SELECT link_key, 4, day, system_value, 1, 0"
       " FROM recent_clicks",

       "CREATE VIEW evidence_sums AS SELECT link_key, stratum, variant_key,"
       " clicks, conversions FROM evidence UNION ALL"
       " SELECT link_key, stratum, variant_key, 1, 0 FROM recent_clicks"
       " WHERE is_repeat = 0",
     }},
    {10,
     "user agents of runs",
     {
       // Each user agent of a run once, with what it is in the breakdowns. A
       // click with number 0 has these texts itself.
       "CREATE TABLE run_agents ("
       " run INTEGER NOT NULL REFERENCES click_runs ON DELETE CASCADE,"
       " agent INTEGER NOT NULL, user_agent TEXT NOT NULL,"
       " browser_value TEXT NOT NULL, device_value TEXT NOT NULL,"
       " system_value TEXT NOT NULL, PRIMARY KEY (run, agent)) WITHOUT ROWID",
       "ALTER TABLE run_clicks ADD COLUMN agent INTEGER NOT NULL DEFAULT 0",

       "CREATE VIEW clicks_of_runs AS SELECT c.run, c.link_key, c.id_hi,"
       " c.id_lo, c.variant_key, c.stratum, c.is_repeat, c.is_conversion,"
       " c.created_at, c.visitor, c.ip_address, "
         + text_in_run("user_agent", "")
         + ", c.referrer, c.country, c.country_value, c.referrer_value, "
         + text_in_run("browser_value", "unknown") + ", "
         + text_in_run("device_value", "unknown") + ", "
         + text_in_run("system_value", "unknown") + " FROM run_clicks c",

       "DROP VIEW all_clicks",
       "CREATE VIEW all_clicks AS SELECT " + columns_of_click("")
         + " FROM clicks UNION ALL SELECT " + columns_of_click("c.")
         + " FROM click_runs r CROSS JOIN clicks_of_runs c ON c.run = r.run",

       "DROP VIEW recent_clicks",
       "CREATE VIEW recent_clicks AS SELECT " + columns_of_click("c.")
         + ", c.created_at / 86400000000 AS day FROM settling s"
           " CROSS JOIN click_runs r CROSS JOIN clicks_of_runs c"
           " ON c.run = r.run WHERE r.is_settled = 0"
           " AND (r.run > s.until_run OR c.link_key > s.link_key)",
     }},
    {11,
     "packed clicks of runs",
     {
       // `clicks` are those of a link in a batch (packed_clicks.hpp), of one
       // day of their ids; the id is that of the first.
       "CREATE TABLE packed_clicks ("
       " run INTEGER NOT NULL, link_key INTEGER NOT NULL,"
       " id_hi INTEGER NOT NULL, id_lo INTEGER NOT NULL,"
       " clicks BLOB NOT NULL,"
       " PRIMARY KEY (run, link_key, id_hi, id_lo)) WITHOUT ROWID",
       "INSERT INTO packed_clicks SELECT run, link_key, id_hi, id_lo,"
       " packed_click(id_hi, id_lo, variant_key, stratum, is_repeat,"
       " created_at, visitor, ip_address, user_agent, referrer, country,"
       " country_value, referrer_value, browser_value, device_value,"
       " system_value, agent) FROM run_clicks"
       " ORDER BY run, link_key, id_hi, id_lo",

       // How many rows these are.
       "ALTER TABLE click_runs ADD COLUMN packs INTEGER NOT NULL DEFAULT 0",
       "UPDATE click_runs SET packs = clicks",

       // A click of a run has no mark: whether it is a conversion is what the
       // conversions say.
       "DROP VIEW clicks_of_runs",
       "DROP TABLE run_clicks",
       "CREATE VIEW clicks_of_runs AS SELECT p.run, p.link_key, c.id_hi,"
       " c.id_lo, c.variant_key, c.stratum, c.is_repeat,"
       " CAST(EXISTS (SELECT 1 FROM conversions v"
       " WHERE v.click_hi = c.id_hi AND v.click_lo = c.id_lo) AS INTEGER)"
       " AS is_conversion, c.created_at, c.visitor, c.ip_address, "
         + text_in_run("user_agent", "", "p.run")
         + ", c.referrer, c.country, c.country_value, c.referrer_value, "
         + text_in_run("browser_value", "unknown", "p.run") + ", "
         + text_in_run("device_value", "unknown", "p.run") + ", "
         + text_in_run("system_value", "unknown", "p.run")
         + " FROM packed_clicks p CROSS JOIN unpacked(p.clicks) c",

       // Where the clicks of a millisecond are (packed_places.hpp).
       "CREATE TABLE click_places (millisecond INTEGER PRIMARY KEY,"
       " places BLOB NOT NULL)",
       "INSERT INTO click_places SELECT id_hi >> 16,"
       " packed_place(id_lo & 255, link_key, run) FROM click_ids WHERE true"
       " ORDER BY id_hi, id_lo ON CONFLICT (millisecond) DO UPDATE SET"
       " places = CAST(click_places.places || excluded.places AS BLOB)",
       "DROP TABLE click_ids",

       // Recent clicks are in no sum.
       "INSERT INTO variant_totals SELECT link_key, variant_key, -count(*), 0,"
       " 0 FROM recent_clicks GROUP BY link_key, variant_key"
       " ON CONFLICT (link_key, variant_key)"
       " DO UPDATE SET clicks = variant_totals.clicks + excluded.clicks",
       "CREATE VIEW variant_total_sums AS SELECT link_key, variant_key,"
       " clicks, converted, conversions FROM variant_totals UNION ALL"
       " SELECT link_key, variant_key, 1, 0, 0 FROM recent_clicks",
     }},
  };
  return steps;
}

} // namespace turnout::sqlite
