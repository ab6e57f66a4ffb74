#include "actors/winner_watch.hpp"

#include <algorithm>
#include <utility>

namespace turnout {

void winner_watch::note(const storage::link_totals& x) {
  int64_t clicks = 0;
  auto risen = false;
  std::vector<uuid> candidates;
  for (const auto& y : x.variants) {
    clicks += y.clicks;
    auto known = std::find_if(
      x_converted.begin(), x_converted.end(),
      [&](const auto& entry) { return entry.first == y.variant_id; });
    if (known == x_converted.end())
      known = x_converted.insert(x_converted.end(), {y.variant_id, 0});
    if (y.converted > known->second) {
      risen = true;
      candidates.push_back(y.variant_id);
    }
    known->second = y.converted;
  }
  x_clicks = clicks;
  if (x.version != x_version) {
    // The first totals, or somebody changed the link: what was known of it may
    // be wrong. Who changed it had the change itself evaluated.
    x_version = x.version;
    x_settled = false;
    x_all = true;
    if (x.last_conversion)
      add_trigger(winner_trigger::conversion, x.last_conversion);
    else
      add_trigger(winner_trigger::click);
    return;
  }
  if (x_settled)
    return;
  if (x_missing_clicks > 0) {
    // Repeats count in these totals and not as evidence, so the threshold is
    // met no earlier than this.
    if (x_clicks - x_clicks_at_check < x_missing_clicks)
      return;
    x_all = true;
    if (risen)
      add_trigger(winner_trigger::conversion, x.last_conversion);
    else
      add_trigger(winner_trigger::click);
    return;
  }
  if (!risen)
    return;
  for (const auto& id : candidates)
    if (std::find(x_candidates.begin(), x_candidates.end(), id)
        == x_candidates.end())
      x_candidates.push_back(id);
  add_trigger(winner_trigger::conversion, x.last_conversion);
}

void winner_watch::note_change() {
  x_settled = false;
  x_all = true;
  add_trigger(winner_trigger::change);
}

void winner_watch::note_overdue() {
  if (x_under_way)
    return;
  x_settled = false;
  x_all = true;
  if (!x_due)
    add_trigger(winner_trigger::change);
}

void winner_watch::add_trigger(winner_trigger x, const uuid& conversion_id) {
  // A conversion whose batch is not ours has no id here.
  x_due = true;
  x_trigger = x;
  x_conversion_id = conversion_id;
}

winner_check winner_watch::take() {
  winner_check result;
  result.link_id = x_link_id;
  if (!x_all)
    result.candidates = std::move(x_candidates);
  result.trigger = x_trigger;
  result.conversion_id = x_conversion_id;
  x_due = false;
  x_all = false;
  x_candidates.clear();
  x_clicks_at_check = x_clicks;
  x_under_way = true;
  return result;
}

void winner_watch::finish(const winner_verdict& x) {
  x_under_way = false;
  // A change that was noted meanwhile has its own check.
  if (!x_due)
    x_settled = x.settled;
  x_missing_clicks = x.missing_clicks;
}

void winner_watch::fail(const winner_check& x) {
  x_under_way = false;
  if (x.candidates.empty())
    x_all = true;
  else
    x_candidates.insert(x_candidates.end(), x.candidates.begin(),
                        x.candidates.end());
  if (!x_due)
    add_trigger(x.trigger, x.conversion_id);
}

caf::expected<winner_verdict>
evaluate_winner(storage::backend& db, const winner_check& x, timestamp now) {
  winner_verdict result;
  auto found = db.evidence(x.link_id);
  if (!found)
    return std::move(found.error());
  if (!*found || !(*found)->subject.auto_winner || (*found)->subject.is_deleted
      || (*found)->recommended) {
    result.settled = true;
    return result;
  }
  const auto& evidence = **found;
  result.missing_clicks = std::max<int64_t>(
    0, evidence.subject.auto_winner_threshold - make_table(evidence).clicks());
  auto best = recommend(evidence, x, now);
  if (!best)
    return result;
  auto stored = db.add_recommendation(*best);
  if (!stored)
    return std::move(stored.error());
  result.settled = true;
  if (stored->added)
    result.made = std::move(stored->stored);
  return result;
}

} // namespace turnout
