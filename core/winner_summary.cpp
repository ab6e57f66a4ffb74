#include "core/winner_report.hpp"

#include <cmath>
#include <cstdio>
#include <string>

namespace turnout {

namespace {

std::string decimal(double x, int digits) {
  char buf[64];
  std::snprintf(buf, sizeof(buf), "%.*f", digits, x);
  return buf;
}

std::string percent(double fraction, int digits = 1) {
  return decimal(fraction * 100, digits) + " %";
}

/// Renders as odds, such as "237:1".
std::string odds(double ln_e) {
  if (ln_e >= std::log(1e6))
    return "more than 1,000,000:1";
  const auto e = std::exp(ln_e);
  return decimal(e, e < 10 ? 1 : 0) + ":1";
}

/// Rounds down: it must not promise more than there is.
std::string confidence(double ln_e) {
  const auto x = confidence_of(ln_e);
  if (x >= 0.999)
    return "99.9 %";
  return percent(std::floor(x * 100) / 100, 0);
}

const variant_standing* find(const winner_report& x, const std::string& label) {
  for (const auto& y : x.variants)
    if (y.label == label)
      return &y;
  return nullptr;
}

std::string rates(const variant_standing& x, const variant_standing& rival) {
  return x.label + " converts " + percent(x.numbers.adjusted_rate().value_or(0))
         + " of clicks against "
         + percent(rival.numbers.adjusted_rate().value_or(0)) + " for "
         + rival.label;
}

/// Tells how much better, when that is known to be better at all.
std::string advantage(const variant_numbers& x) {
  std::string result;
  if (x.lift && *x.lift > 0)
    result = std::abs(*x.lift - 1) < 0.05
               ? ", twice as well"
               : ", " + percent(*x.lift, 0) + " better";
  if (x.lift_lower > 0)
    result += " (at least " + percent(x.lift_lower, 0) + " better)";
  return result;
}

std::string of_recommended(const winner_report& x) {
  const auto* best = find(x, x.recommended_variant);
  std::string result;
  if (x.recommended)
    result = x.recommended->label + " was recommended on "
             + to_iso_date(day_of(x.recommended->decided_at)) + " with "
             + odds(x.recommended->ln_evidence) + " evidence. ";
  if (best == nullptr || !best->numbers.rival)
    return result;
  const auto& rival = x.variants[*best->numbers.rival];
  result += rates(*best, rival) + advantage(best->numbers)
            + ". The evidence is " + odds(best->numbers.ln_evidence);
  if (best->numbers.ln_evidence >= ln_evidence_required)
    result += ", " + confidence(best->numbers.ln_evidence)
              + " confidence that holds however often you look";
  return result + ".";
}

std::string of_undecided(const winner_report& x) {
  auto result = "Not yet: " + std::to_string(x.total_clicks)
                + " clicks and no conversion so far.";
  if (x.total_conversions == 0)
    return result;
  result = "Not yet: ";
  const auto* leader = find(x, x.leading_variant);
  if (leader == nullptr || !leader->numbers.rival) {
    result += "no variant is ahead.";
  } else {
    result += rates(*leader, x.variants[*leader->numbers.rival])
              + ", but the evidence is " + odds(x.ln_evidence) + " of the "
              + decimal(evidence_required, 0) + ":1 it takes.";
  }
  if (x.estimated_clicks)
    result += " At this rate it takes about "
              + std::to_string(*x.estimated_clicks) + " more clicks.";
  return result;
}

std::string of_not_applicable(const winner_report& x) {
  if (x.reason == "geo_routing")
    return "Visitors of this link are routed by country and not at random, so "
           "its variants cannot be compared.";
  if (x.reason == "inconsistent_counts")
    return "The counters of this link contradict each other, so nothing is "
           "said; turnout verify tells more.";
  std::string result = "Only one variant takes traffic, so there is nothing to "
                       "compare.";
  if (x.recommended)
    result = x.recommended->label + " was recommended on "
             + to_iso_date(day_of(x.recommended->decided_at)) + ". " + result;
  return result;
}

} // namespace

std::string summarize(const winner_report& x) {
  switch (x.status) {
    case winner_status::collecting:
      return "Not yet: " + std::to_string(x.total_clicks) + " of "
             + std::to_string(x.threshold) + " clicks so far.";
    case winner_status::undecided:
      return of_undecided(x);
    case winner_status::recommended:
      return of_recommended(x);
    case winner_status::not_applicable:
      return of_not_applicable(x);
  }
  return "";
}

} // namespace turnout
