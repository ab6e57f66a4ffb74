#include "plugins/sql/recommendations.hpp"
#include "plugins/sql/sql_backend.hpp"
#include "plugins/sql/statements.hpp"

namespace turnout::plugins {

namespace {

std::optional<recommendation>
find_recommendation(connection& db, row_key link_key, int generation) {
  recommendation_row row;
  if (!db.first(sql::find_recommendation, row.columns(), link_key, generation))
    return std::nullopt;
  return row.get();
}

void load_strata(connection& db, winner_evidence& x) {
  const auto& key = x.subject.key;
  const auto& generation = x.subject.generation;
  auto number = 0;
  auto of_generation = 0;
  std::string weights;
  db.each(
    sql::strata_of_generation, std::tie(number, of_generation, weights),
    [&] {
      auto& y = x.strata.emplace_back();
      y.number = number;
      y.generation = of_generation;
      decode_weights(weights, y);
    },
    key, generation);
  int64_t started_at = 0;
  db.first(sql::start_of_generation, std::tie(started_at), key, generation);
  // Strata from before the column was there do not know.
  x.started_at
    = started_at > 0 ? from_micros(started_at) : x.subject.created_at;
}

void load_counts(connection& db, winner_evidence& x) {
  evidence_row row;
  db.each(
    sql::evidence_of_generation,
    std::tie(row.stratum, row.variant_id, row.clicks, row.conversions),
    [&] { x.counts.push_back(row); }, x.subject.key, x.subject.generation);
}

} // namespace

caf::expected<std::optional<winner_evidence>>
sql_backend::evidence(const uuid& link_id) {
  return attempt("read the evidence", [&](connection& db) {
    std::optional<winner_evidence> result;
    link_row row;
    transaction tx{db, access::read};
    if (db.first(sql::link_by_id, row.columns(), link_id)) {
      auto& x = result.emplace();
      x.subject = row.get();
      load_variants(db, x.subject);
      load_strata(db, x);
      load_counts(db, x);
      x.recommended
        = find_recommendation(db, x.subject.key, x.subject.generation);
    }
    tx.commit();
    return result;
  });
}

caf::expected<storage::recommendation_result>
sql_backend::add_recommendation(const recommendation& x) {
  return attempt("store the recommendation", [&](connection& db) {
    storage::recommendation_result result;
    recommendation_row row{x};
    uuid link_id;
    transaction tx{db, access::write};
    if (!db.first(sql::id_of_link, std::tie(link_id), row.link_key))
      fail(ec::not_found, "Link not found");
    result.added
      = db.run(sql::add_recommendation, row.link_key, row.generation,
               row.variant_id, row.label, row.decided_at, row.cause,
               row.conversion_id, row.method, row.threshold, row.snapshot)
        == 1;
    result.stored
      = find_recommendation(db, row.link_key, row.generation).value_or(x);
    tx.commit();
    return result;
  });
}

} // namespace turnout::plugins
