#include "core/winner_report.hpp"

#include <algorithm>
#include <cmath>

namespace turnout {

namespace {

/// How many standard deviations the clicks of a variant may be off its weight.
constexpr double max_deviations = 5;

constexpr auto nowhere = static_cast<size_t>(-1);

size_t index_of(const std::vector<const variant*>& variants, const uuid& id) {
  for (size_t i = 0; i < variants.size(); ++i)
    if (variants[i]->id == id)
      return i;
  return nowhere;
}

/// Why nothing can be said of a link; nullptr if something can.
const char* obstacle(const link& x, const evidence_table& table) noexcept {
  if (x.routing == routing_type::geo)
    return "geo_routing";
  if (!table.is_consistent())
    return "inconsistent_counts";
  if (table.active() < 2)
    return "single_active_variant";
  return nullptr;
}

std::vector<variant_standing> standings_of(const link& x,
                                           const evidence_table& table) {
  const auto variants = compared_variants(x);
  const auto numbers = explain(table);
  std::vector<variant_standing> result;
  for (size_t i = 0; i < table.size; ++i)
    result.push_back(
      {variants[i]->id, variants[i]->label, variants[i]->weight, numbers[i]});
  return result;
}

/// Returns the active variant for which `value` is largest, if it is one alone.
template <class F>
std::optional<size_t> alone_on_top(const evidence_table& x, F value) {
  std::optional<size_t> result;
  auto is_tied = false;
  for (size_t i = 0; i < x.size; ++i) {
    if (!x.is_active(i))
      continue;
    if (!result || value(i) > value(*result)) {
      result = i;
      is_tied = false;
    } else if (value(i) == value(*result)) {
      is_tied = true;
    }
  }
  return is_tied ? std::nullopt : result;
}

std::optional<size_t> find_leader(const evidence_table& x,
                                  const std::vector<variant_standing>& all) {
  const auto by_evidence
    = alone_on_top(x, [&](size_t i) { return all[i].numbers.ln_evidence; });
  if (by_evidence && all[*by_evidence].numbers.ln_evidence > 0)
    return by_evidence;
  return alone_on_top(
    x, [&](size_t i) { return all[i].numbers.adjusted_rate().value_or(0); });
}

/// Returns whether a variant got more or fewer clicks than its weight can
/// explain: then the weights are not the real odds.
bool has_mismatch(const evidence_table& x) noexcept {
  for (const auto& y : x.strata) {
    double all = 0;
    for (size_t i = 0; i < x.size; ++i)
      all += static_cast<double>(y.clicks[i]);
    for (size_t i = 0; i < x.size; ++i) {
      const auto w = y.weights[i] / 100.0;
      const auto off = static_cast<double>(y.clicks[i]) - all * w;
      if (std::abs(off) > max_deviations * std::sqrt(all * w * (1 - w)))
        return true;
    }
  }
  return false;
}

std::vector<std::string> warnings_of(const evidence_table& x,
                                     const std::vector<variant_standing>& all) {
  std::vector<std::string> result;
  if (has_mismatch(x))
    result.emplace_back("traffic_mismatch");
  if (x.conversions() > 0)
    for (const auto& y : all)
      if (y.numbers.conversions == 0 && y.numbers.clicks > 0)
        result.emplace_back("no_conversions:" + y.label);
  return result;
}

} // namespace

const char* to_string(winner_trigger x) noexcept {
  switch (x) {
    case winner_trigger::conversion:
      return "conversion";
    case winner_trigger::click:
      return "click";
    case winner_trigger::change:
      return "change";
  }
  return "";
}

const char* to_string(winner_status x) noexcept {
  switch (x) {
    case winner_status::collecting:
      return "collecting";
    case winner_status::undecided:
      return "undecided";
    case winner_status::recommended:
      return "recommended";
    case winner_status::not_applicable:
      return "not_applicable";
  }
  return "";
}

std::vector<const variant*> compared_variants(const link& x) {
  std::vector<const variant*> result;
  for (const auto& v : x.variants)
    if (!v.retired && result.size() < max_compared)
      result.push_back(&v);
  return result;
}

evidence_table make_table(const winner_evidence& x) {
  const auto variants = compared_variants(x.subject);
  evidence_table result;
  result.size = variants.size();
  for (size_t i = 0; i < variants.size(); ++i)
    result.weights[i] = variants[i]->weight;
  // Number of a stratum to its place in the table.
  std::vector<std::pair<int, size_t>> places;
  for (const auto& y : x.strata) {
    stratum_counts counts;
    for (const auto& [id, weight] : y.weights)
      if (const auto i = index_of(variants, id); i != nowhere)
        counts.weights[i] = weight;
    const auto same = std::find_if(
      result.strata.begin(), result.strata.end(),
      [&](const auto& other) { return other.weights == counts.weights; });
    places.emplace_back(y.number, same - result.strata.begin());
    if (same == result.strata.end())
      result.strata.push_back(counts);
  }
  for (const auto& row : x.counts) {
    const auto place
      = std::find_if(places.begin(), places.end(),
                     [&](const auto& y) { return y.first == row.stratum; });
    const auto i = index_of(variants, row.variant_id);
    if (place == places.end() || i == nowhere)
      continue;
    auto& counts = result.strata[place->second];
    counts.clicks[i] += row.clicks;
    counts.conversions[i] += row.conversions;
  }
  return result;
}

std::optional<recommendation>
recommend(const winner_evidence& x, const winner_check& check, timestamp now) {
  const auto& subject = x.subject;
  if (!subject.auto_winner || subject.is_deleted || x.recommended)
    return std::nullopt;
  const auto table = make_table(x);
  if (obstacle(subject, table) != nullptr)
    return std::nullopt;
  auto candidates = ~0u;
  if (!check.candidates.empty()) {
    const auto variants = compared_variants(subject);
    candidates = 0;
    for (const auto& id : check.candidates)
      if (const auto i = index_of(variants, id); i != nowhere)
        candidates |= 1u << i;
  }
  const auto winner
    = find_winner(table, subject.auto_winner_threshold, candidates);
  if (!winner)
    return std::nullopt;
  recommendation result;
  result.link_key = subject.key;
  result.generation = subject.generation;
  result.decided_at = now;
  result.trigger = check.trigger;
  if (check.trigger == winner_trigger::conversion)
    result.conversion_id = check.conversion_id;
  result.threshold = subject.auto_winner_threshold;
  result.variants = standings_of(subject, table);
  const auto& best = result.variants[*winner];
  result.variant_id = best.variant_id;
  result.label = best.label;
  result.ln_evidence = best.numbers.ln_evidence;
  result.strata = table.strata;
  return result;
}

winner_report report_winner(const winner_evidence& x, timestamp now) {
  const auto& subject = x.subject;
  const auto table = make_table(x);
  winner_report result;
  result.auto_winner = subject.auto_winner;
  result.threshold = subject.auto_winner_threshold;
  result.total_clicks = table.clicks();
  result.total_conversions = table.conversions();
  result.remaining_clicks
    = std::max<int64_t>(0, result.threshold - result.total_clicks);
  result.weights_changed = table.strata.size() > 1;
  result.started_at = x.started_at;
  result.evaluated_at = now;
  result.recommended = x.recommended;
  const auto finish = [&](winner_status status, const char* reason) {
    result.status = status;
    result.reason = reason;
    result.summary = summarize(result);
    return std::move(result);
  };
  const auto* reason = obstacle(subject, table);
  if (reason == nullptr || table.is_consistent())
    result.variants = standings_of(subject, table);
  if (reason != nullptr)
    return finish(winner_status::not_applicable, reason);
  result.warnings = warnings_of(table, result.variants);
  const auto leader = find_leader(table, result.variants);
  if (leader)
    result.leading_variant = result.variants[*leader].label;
  result.ln_evidence = result.variants[0].numbers.ln_evidence;
  auto is_first = true;
  for (size_t i = 0; i < table.size; ++i) {
    if (!table.is_active(i))
      continue;
    const auto ln_e = result.variants[i].numbers.ln_evidence;
    result.ln_evidence = is_first ? ln_e : std::max(result.ln_evidence, ln_e);
    is_first = false;
  }
  if (x.recommended) {
    result.recommended_variant = x.recommended->label;
    result.recommended_variant_id = x.recommended->variant_id;
    return finish(winner_status::recommended, "recommendation_made");
  }
  if (const auto winner = find_winner(table, result.threshold)) {
    const auto& best = result.variants[*winner];
    result.recommended_variant = best.label;
    result.recommended_variant_id = best.variant_id;
    return finish(winner_status::recommended, "enough_evidence");
  }
  if (leader)
    if (auto more = clicks_to_decision(table, *leader))
      result.estimated_clicks = std::max(*more, result.remaining_clicks);
  if (result.remaining_clicks > 0)
    return finish(winner_status::collecting, "threshold_not_reached");
  if (result.total_conversions == 0)
    return finish(winner_status::undecided, "no_conversions");
  return finish(winner_status::undecided, "not_enough_evidence");
}

} // namespace turnout
