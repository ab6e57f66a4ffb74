// Bodies of the API: strict JSON, and what is read of it.

#include "core/rules.hpp"
#include "http/codec/conversion.hpp"
#include "http/codec/json.hpp"
#include "http/codec/link.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <set>
#include <string>

using namespace turnout;

namespace {

const timestamp today{std::chrono::seconds{1'800'000'000}};

const own_hosts own{{"s.example"}};

/// Fractions are read in a quick way that may miss the last bit.
bool has_fraction(const json::value& x) {
  if (const auto* xs = x.if_array())
    return std::any_of(xs->begin(), xs->end(), has_fraction);
  if (const auto* xs = x.if_object())
    return std::any_of(xs->begin(), xs->end(),
                       [](const auto& y) { return has_fraction(y.value()); });
  return x.is_double();
}

/// An error is one that a client may see.
template <class T>
void check_error(const caf::expected<T>& x) {
  if (x)
    return;
  HOLDS(code_of(x.error()) == ec::invalid
        || code_of(x.error()) == ec::bad_request);
  HOLDS(!detail(x.error()).empty());
}

void check_link(const turnout::link& x) {
  HOLDS(x.variants.size() >= 2 && x.variants.size() <= 5);
  std::set<std::string> labels;
  auto sum = 0;
  for (const auto& y : x.variants) {
    HOLDS(y.weight >= 0 && y.weight <= 100);
    HOLDS(labels.insert(y.label).second);
    HOLDS(!check_destination(y.destination_url, own, "x"));
    // No URL of another kind, whatever it looks like.
    HOLDS(y.destination_url.size() > 7 && y.destination_url[0] != 'j'
          && y.destination_url[0] != 'J');
    HOLDS(y.destination_url.find_first_of("\r\n \t") == std::string::npos);
    sum += y.weight;
  }
  HOLDS(sum == 100);
  HOLDS(x.slug.empty() || !check_slug(x.slug));
  HOLDS(check_name(x.name) && *check_name(x.name) == x.name);
  HOLDS(x.auto_winner_threshold >= 10);
  if (x.geo)
    for (const auto& [country, label] : *x.geo)
      HOLDS(labels.contains(label));
  // What we show of it can be sent again and means the same.
  auto shown = x;
  if (shown.slug.empty())
    shown.slug = "slug";
  const auto body = parse_json(link_body(shown));
  HOLDS(body);
  const auto again = read_new_link(*body, own, x.user_id, today);
  HOLDS(again);
  HOLDS(again->slug == shown.slug);
  HOLDS(again->name == x.name);
  HOLDS(again->geo == x.geo);
  HOLDS(again->routing == x.routing);
  HOLDS(again->variants.size() == x.variants.size());
  for (size_t i = 0; i < x.variants.size(); ++i) {
    HOLDS(again->variants[i].label == x.variants[i].label);
    HOLDS(again->variants[i].weight == x.variants[i].weight);
    HOLDS(again->variants[i].destination_url == x.variants[i].destination_url);
  }
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto body = parse_json(text);
  check_error(body);
  if (!body)
    return 0;
  if (!has_fraction(*body)) {
    const auto again = parse_json(json::serialize(*body));
    HOLDS(again);
    HOLDS(canonical_json(*again) == canonical_json(*body));
  }
  const auto created = read_new_link(*body, own, uuid{}, today);
  check_error(created);
  if (created)
    check_link(*created);
  check_error(read_link_patch(*body, own));
  const auto variants = read_variant_array(*body, own);
  check_error(variants);
  if (variants)
    HOLDS(variants->size() >= 2 && variants->size() <= 5);
  check_error(read_promotion(*body));
  const auto conversion = read_conversion(*body, today);
  check_error(conversion);
  if (conversion) {
    HOLDS(conversion->event_id.empty() || is_event_id(conversion->event_id));
    HOLDS(conversion->value.empty() || is_amount(conversion->value));
    HOLDS(conversion->currency.empty() || is_currency(conversion->currency));
  }
  return 0;
}
