#include "plugins/sql/secrets.hpp"
#include "plugins/sql/sql_backend.hpp"
#include "plugins/sql/statements.hpp"

#include <algorithm>

namespace turnout::plugins {

using storage::change;
using storage::day_secret;

namespace {

/// How many days before the first one asked for secrets are kept.
constexpr day_number secret_days = 2;

/// Purges one day of a link.
int64_t purge_day(connection& db, row_key link_key, day_number day) {
  auto first = first_id(start_of(day));
  auto end = end_id(start_of(day + 1));
  transaction tx{db, access::snapshot_write};
  db.run(sql::keep_evidence, link_key, first, end);
  int64_t result = 0;
  db.first(sql::count_clicks_to_purge, std::tie(result), link_key, first, end);
  for (auto statement : {+sql::purge_clicks, db.words().purge_clicks_elsewhere})
    if (statement != nullptr)
      db.run(statement, link_key, first, end);
  tx.commit();
  return result;
}

} // namespace

void move_clicks_horizon(connection& db, day_number before) {
  transaction tx{db, access::write};
  day_number visitors = 0;
  day_number stored = 0;
  db.first(sql::get_horizons, std::tie(visitors, stored));
  if (before > stored)
    db.run(sql::set_clicks_horizon, before);
  tx.commit();
}

caf::expected<std::vector<day_secret>>
sql_backend::day_secrets(const std::vector<day_number>& days) {
  if (days.empty())
    return std::vector<day_secret>{};
  return attempt("load the secrets of visitor keys", [&](connection& db) {
    std::vector<day_secret> result;
    transaction tx{db, access::write};
    auto oldest = *std::min_element(days.begin(), days.end()) - secret_days;
    db.run(sql::forget_day_secrets, oldest);
    for (auto day : days) {
      std::string text;
      auto& x = result.emplace_back();
      x.day = day;
      if (!db.first(sql::find_day_secret, std::tie(text), day)) {
        auto made = make_secret();
        db.run(sql::add_day_secret, day, made);
        // Another node's, if it was quicker.
        db.first(sql::find_day_secret, std::tie(text), day);
      }
      x.secret = decode_secret(text);
    }
    tx.commit();
    return result;
  });
}

caf::expected<int64_t> sql_backend::last_change() {
  return attempt("read the changes", [](connection& db) {
    int64_t result = 0;
    db.first(sql::last_change, std::tie(result));
    return result;
  });
}

caf::expected<std::vector<change>> sql_backend::changes_since(int64_t seq) {
  return attempt("read the changes", [&](connection& db) {
    std::vector<change> result;
    change x;
    auto kind = 0;
    db.each(
      sql::changes_since, std::tie(x.seq, kind, x.id),
      [&] {
        x.what = static_cast<change::kind>(kind);
        result.emplace_back(x);
      },
      seq);
    return result;
  });
}

void sql_backend::settle(connection& db, day_number before) {
  for (auto more = true; more;) {
    transaction tx{db, access::write};
    more = tables(db)->settle_some(before);
    tx.commit();
  }
}

caf::expected<int64_t> sql_backend::purge_clicks(day_number before) {
  return attempt("purge old clicks", [&](connection& db) {
    move_clicks_horizon(db, before);
    settle(db, before);
    std::vector<row_key> links;
    row_key link_key = 0;
    auto end = end_id(start_of(before));
    db.each(
      sql::links_with_clicks_before, std::tie(link_key),
      [&] { links.emplace_back(link_key); }, end);
    int64_t result = 0;
    for (auto key : links) {
      std::vector<day_number> days;
      day_number day = 0;
      db.each(
        sql::days_with_clicks_before, std::tie(day),
        [&] { days.emplace_back(day); }, key, before);
      for (auto x : days)
        result += purge_day(db, key, x);
    }
    return result;
  });
}

} // namespace turnout::plugins
