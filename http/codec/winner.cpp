#include "http/codec/winner.hpp"

#include "http/codec/json.hpp"

#include <boost/json/serialize.hpp>

#include <utility>

namespace turnout {

namespace {

template <class T>
json::value or_null(const std::optional<T>& x) {
  if (!x)
    return nullptr;
  return *x;
}

json::value id_or_null(const uuid& x) {
  if (!x)
    return nullptr;
  return to_json_string(x.str());
}

json::value lift_of(const std::vector<variant_standing>& all,
                    const variant_numbers& x) {
  if (!x.rival || *x.rival >= all.size())
    return nullptr;
  json::object result;
  result["versus"] = to_json_string(all[*x.rival].label);
  result["estimate"] = or_null(x.lift);
  result["lower"] = x.lift_lower;
  result["upper"] = or_null(x.lift_upper);
  return result;
}

json::array to_json(const std::vector<variant_standing>& all) {
  json::array result;
  for (const auto& x : all) {
    const auto& numbers = x.numbers;
    json::object interval;
    interval["lower"] = numbers.credible_lower;
    interval["upper"] = numbers.credible_upper;
    interval["level"] = 0.95;
    json::object entry;
    entry["variant_id"] = to_json_string(x.variant_id.str());
    entry["label"] = to_json_string(x.label);
    entry["weight"] = x.weight;
    entry["clicks"] = numbers.clicks;
    entry["conversions"] = numbers.conversions;
    entry["conversion_rate"] = or_null(numbers.conversion_rate());
    entry["adjusted_rate"] = or_null(numbers.adjusted_rate());
    entry["credible_interval"] = std::move(interval);
    entry["probability_to_be_best"] = numbers.probability_to_be_best;
    entry["expected_loss"] = numbers.expected_loss;
    entry["lift"] = lift_of(all, numbers);
    entry["evidence"] = evidence_of(numbers.ln_evidence);
    entry["contender"] = numbers.contender;
    result.push_back(std::move(entry));
  }
  return result;
}

json::array strata_of(const recommendation& x) {
  json::array result;
  for (const auto& y : x.strata) {
    const auto array = [&](const auto& values) {
      return json::array(values.begin(),
                         values.begin()
                           + static_cast<std::ptrdiff_t>(x.variants.size()));
    };
    json::object entry;
    entry["weights"] = array(y.weights);
    entry["clicks"] = array(y.clicks);
    entry["conversions"] = array(y.conversions);
    result.push_back(std::move(entry));
  }
  return result;
}

json::value to_json(const std::optional<recommendation>& x) {
  if (!x)
    return nullptr;
  json::object result;
  result["variant_id"] = to_json_string(x->variant_id.str());
  result["label"] = to_json_string(x->label);
  result["decided_at"] = to_json_string(to_iso8601(x->decided_at));
  result["trigger"] = to_json_string(to_string(x->trigger));
  result["conversion_id"] = id_or_null(x->conversion_id);
  result["method"] = to_json_string(x->method);
  result["alpha"] = x->alpha;
  result["evidence_required"] = x->required;
  result["threshold"] = x->threshold;
  result["evidence"] = evidence_of(x->ln_evidence);
  result["confidence"] = confidence_of(x->ln_evidence);
  result["strata"] = strata_of(*x);
  result["variants"] = to_json(x->variants);
  return result;
}

} // namespace

std::string winner_body(const winner_report& x) {
  json::object result;
  result["status"] = to_string(x.status);
  result["reason"] = to_json_string(x.reason);
  result["auto_winner"] = x.auto_winner;
  result["threshold"] = x.threshold;
  result["total_clicks"] = x.total_clicks;
  result["total_conversions"] = x.total_conversions;
  result["remaining_clicks"] = x.remaining_clicks;
  result["leading_variant"] = text_or_null(x.leading_variant);
  result["recommended_variant"] = text_or_null(x.recommended_variant);
  result["recommended_variant_id"] = id_or_null(x.recommended_variant_id);
  result["confidence"] = confidence_of(x.ln_evidence);
  result["confidence_target"] = 1 - winner_alpha;
  result["evidence"] = evidence_of(x.ln_evidence);
  result["evidence_required"] = evidence_required;
  result["estimated_clicks_to_decision"] = or_null(x.estimated_clicks);
  result["weights_changed"] = x.weights_changed;
  result["evaluation_started_at"] = to_json_string(to_iso8601(x.started_at));
  result["evaluated_at"] = to_json_string(to_iso8601(x.evaluated_at));
  result["method"] = winner_method;
  result["variants"] = to_json(x.variants);
  result["recommendation"] = to_json(x.recommended);
  json::array warnings;
  for (const auto& y : x.warnings)
    warnings.emplace_back(to_json_string(y));
  result["warnings"] = std::move(warnings);
  result["summary"] = to_json_string(x.summary);
  return json::serialize(result);
}

} // namespace turnout
