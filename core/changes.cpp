#include "core/changes.hpp"

#include "core/identifiers.hpp"
#include "core/rules.hpp"

#include <algorithm>

namespace turnout {

namespace {

const variant* find_label(const link& x, std::string_view label, bool retired) {
  for (const auto& v : x.variants)
    if (v.retired == retired && v.label == label)
      return &v;
  return nullptr;
}

/// Returns the weights by variant, in an order of their own: the order of the
/// array is not part of a stratum.
std::vector<std::pair<uuid, int>> weights_of(const link& x) {
  auto result = current_stratum(x).weights;
  std::sort(result.begin(), result.end());
  return result;
}

/// Returns whether an active page came, went or changed its address: then old
/// counts describe another page and the winner's evaluation restarts.
bool changes_pages(const link& before, const link& after) {
  auto pages_of = [](const link& x) {
    std::vector<std::pair<std::string, std::string>> result;
    for (const auto& v : x.variants)
      if (!v.retired)
        result.emplace_back(v.label, v.destination_url);
    std::sort(result.begin(), result.end());
    return result;
  };
  return pages_of(before) != pages_of(after);
}

/// Finishes a change: returns `before` if there is none, else renews the time
/// and the numbers of the winner's evaluation. Stratum numbers only rise, so
/// the current one is the highest that the link ever had.
link finish(const link& before, link after, timestamp now) {
  if (after == before)
    return before;
  after.updated_at = now;
  // Visits that were routed by country are no random draws, so they are no
  // evidence for the time after; and the other way round.
  auto restarts
    = changes_pages(before, after) || before.routing != after.routing;
  if (restarts)
    ++after.generation;
  if (restarts || weights_of(before) != weights_of(after))
    ++after.stratum;
  return after;
}

} // namespace

caf::expected<link> apply_patch(const link& current, const link_patch& patch,
                                timestamp now) {
  auto next = current;
  if (patch.name)
    next.name = *patch.name;
  if (patch.is_active)
    next.is_active = *patch.is_active;
  if (patch.auto_winner)
    next.auto_winner = *patch.auto_winner;
  if (patch.auto_winner_threshold)
    next.auto_winner_threshold = *patch.auto_winner_threshold;
  if (patch.routing)
    next.routing = *patch.routing;
  if (patch.geo)
    next.geo = *patch.geo;
  if (patch.enable_conversion_tracking)
    next.enable_conversion_tracking = *patch.enable_conversion_tracking;
  if (patch.conversion_redirect_url)
    next.conversion_redirect_url = *patch.conversion_redirect_url;
  if (auto err = check_routing(next.routing, next.geo.has_value()))
    return err;
  if (patch.geo && next.geo)
    if (auto err = check_geo_rules(*next.geo, next.variants))
      return err;
  return finish(current, std::move(next), now);
}

std::vector<variant> make_variants(const std::vector<variant_spec>& specs,
                                   timestamp now) {
  std::vector<variant> result;
  result.reserve(specs.size());
  for (const auto& spec : specs) {
    variant x;
    x.id = make_uuid(now);
    x.label = spec.label;
    x.destination_url = spec.destination_url;
    x.weight = spec.weight;
    x.position = static_cast<int>(result.size());
    x.created_at = now;
    result.push_back(std::move(x));
  }
  return result;
}

caf::expected<link> replace_variants(const link& current,
                                     const std::vector<variant_spec>& specs,
                                     timestamp now) {
  auto next = current;
  next.variants = make_variants(specs, now);
  for (auto& x : next.variants) {
    auto old = find_label(current, x.label, false);
    auto is_winner = old != nullptr && old->is_winner && x.weight == 100;
    if (old == nullptr)
      old = find_label(current, x.label, true);
    if (old == nullptr)
      continue;
    x.id = old->id;
    x.key = old->key;
    x.created_at = old->created_at;
    x.is_winner = is_winner;
  }
  for (const auto& old : current.variants) {
    auto is_kept = [&](const variant& x) { return x.label == old.label; };
    if (std::any_of(next.variants.begin(), next.variants.end(), is_kept))
      continue;
    auto x = old;
    x.retired = true;
    x.weight = 0;
    x.is_winner = false;
    x.position = static_cast<int>(next.variants.size());
    next.variants.push_back(std::move(x));
  }
  if (auto err = check_variant_set(next.variants))
    return err;
  if (next.geo)
    if (auto err = check_geo_rules(*next.geo, next.variants))
      return err;
  return finish(current, std::move(next), now);
}

caf::expected<link> promote(const link& current, const uuid& variant_id,
                            timestamp now) {
  auto next = current;
  auto found = false;
  for (auto& x : next.variants) {
    if (x.retired)
      continue;
    auto is_chosen = x.id == variant_id;
    found |= is_chosen;
    x.weight = is_chosen ? 100 : 0;
    x.is_winner = is_chosen;
  }
  if (!found)
    return make_error(ec::not_found, "Variant not found");
  return finish(current, std::move(next), now);
}

caf::expected<link> mark_deleted(const link& current, timestamp now) {
  if (current.is_deleted)
    return make_error(ec::not_found, "Link not found");
  auto next = current;
  next.is_deleted = true;
  return finish(current, std::move(next), now);
}

stratum current_stratum(const link& x) {
  stratum result;
  result.number = x.stratum;
  result.generation = x.generation;
  for (const auto& v : x.variants)
    if (!v.retired)
      result.weights.emplace_back(v.id, v.weight);
  return result;
}

} // namespace turnout
