#include "http/codec/link.hpp"

#include "core/identifiers.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>

#include <array>
#include <optional>
#include <utility>

namespace turnout {

namespace {

constexpr std::array<std::string_view, 3> variant_fields
  = {"label", "destination_url", "weight"};

std::string element(std::string_view prefix, size_t index) {
  std::string result{prefix};
  result += '[';
  result += std::to_string(index);
  result += ']';
  return result;
}

/// Names the first required field that an element lacks.
caf::error require_variant_fields(const json::array& xs,
                                  std::string_view prefix) {
  for (size_t i = 0; i < xs.size(); ++i)
    if (const auto* x = xs[i].if_object())
      for (auto field : variant_fields)
        if (auto err = require(*x, field, element(prefix, i) + "."))
          return err;
  return {};
}

caf::expected<variant_spec> read_variant(const json::value& x,
                                         const std::string& path,
                                         const own_hosts& own) {
  auto object = as_object(x, path);
  if (!object)
    return std::move(object.error());
  variant_spec result;
  const auto member = [&](size_t i) -> const json::value& {
    return *find_member(**object, variant_fields[i]);
  };
  const auto label_path = path + ".label";
  auto label = as_string(member(0), label_path);
  if (!label)
    return std::move(label.error());
  if (auto err = check_label(*label, label_path))
    return err;
  result.label = *label;
  const auto url_path = path + ".destination_url";
  auto url = as_string(member(1), url_path);
  if (!url)
    return std::move(url.error());
  if (auto err = check_destination(*url, own, url_path))
    return err;
  result.destination_url = *url;
  const auto weight_path = path + ".weight";
  auto weight = as_integer(member(2), weight_path);
  if (!weight)
    return std::move(weight.error());
  if (auto err = check_weight(*weight, weight_path))
    return err;
  result.weight = static_cast<int>(*weight);
  return result;
}

/// Reads the elements; required fields were checked before.
caf::expected<std::vector<variant_spec>> read_variants(const json::array& xs,
                                                       std::string_view prefix,
                                                       const own_hosts& own) {
  if (auto err = check_variant_count(xs.size()))
    return err;
  std::vector<variant_spec> result;
  for (size_t i = 0; i < xs.size(); ++i) {
    auto spec = read_variant(xs[i], element(prefix, i), own);
    if (!spec)
      return std::move(spec.error());
    result.push_back(std::move(*spec));
  }
  if (auto err = check_variant_set(make_variants(result, {})))
    return err;
  return result;
}

caf::expected<geo_rules> read_geo_rules(const json::value& x) {
  const auto* object = x.if_object();
  if (!object)
    return must_be("geo_rules", "an object or null");
  geo_rules result;
  for (const auto& member : *object) {
    std::string key{member.key().data(), member.key().size()};
    auto label = as_string(member.value(), "geo_rules." + key);
    if (!label)
      return std::move(label.error());
    result.emplace_back(std::move(key), *label);
  }
  return result;
}

/// Reads the fields that create and update share, in the contract's order; the
/// caller checks rules that need more than one field. `read_between` stands for
/// what comes after the name.
template <class F>
caf::expected<link_patch> read_fields(const json::object& body,
                                      F read_between) {
  link_patch result;
  if (const auto* x = find_member(body, "name")) {
    auto text = as_string(*x, "name");
    if (!text)
      return std::move(text.error());
    auto name = check_name(*text);
    if (!name)
      return std::move(name.error());
    result.name = std::move(*name);
  }
  if (auto err = read_between())
    return err;
  if (const auto* x = find_member(body, "auto_winner")) {
    auto value = as_bool(*x, "auto_winner");
    if (!value)
      return std::move(value.error());
    result.auto_winner = *value;
  }
  if (const auto* x = find_member(body, "auto_winner_threshold")) {
    auto value = as_integer(*x, "auto_winner_threshold");
    if (!value)
      return std::move(value.error());
    if (auto err = check_threshold(*value))
      return err;
    result.auto_winner_threshold = static_cast<int>(*value);
  }
  if (const auto* x = find_member(body, "routing_type")) {
    auto text = as_string(*x, "routing_type");
    if (!text)
      return std::move(text.error());
    result.routing = parse_routing_type(*text);
    if (!result.routing)
      return must_be("routing_type", "'ab_test' or 'geo'");
  }
  if (const auto* x = find_member(body, "geo_rules")) {
    result.geo = std::optional<geo_rules>{};
    if (!x->is_null()) {
      auto rules = read_geo_rules(*x);
      if (!rules)
        return std::move(rules.error());
      result.geo = std::move(*rules);
    }
  }
  return result;
}

/// Reads the fields that come last.
caf::error read_conversion_fields(const json::object& body,
                                  const own_hosts& own, link_patch& result) {
  if (const auto* x = find_member(body, "enable_conversion_tracking")) {
    auto value = as_bool(*x, "enable_conversion_tracking");
    if (!value)
      return std::move(value.error());
    result.enable_conversion_tracking = *value;
  }
  if (const auto* x = find_member(body, "conversion_redirect_url")) {
    result.conversion_redirect_url = std::optional<std::string>{};
    if (!x->is_null()) {
      auto text = as_string(*x, "conversion_redirect_url");
      if (!text)
        return std::move(text.error());
      if (auto err = check_destination(*text, own, "conversion_redirect_url"))
        return err;
      result.conversion_redirect_url = std::string{*text};
    }
  }
  return {};
}

json::object to_json(const variant& x, const uuid& link_id) {
  json::object result;
  result["id"] = to_json_string(x.id.str());
  result["link_id"] = to_json_string(link_id.str());
  result["label"] = to_json_string(x.label);
  result["destination_url"] = to_json_string(x.destination_url);
  result["weight"] = x.weight;
  result["is_winner"] = x.is_winner;
  result["created_at"] = to_json_string(to_iso8601(x.created_at));
  return result;
}

} // namespace

caf::expected<link> read_new_link(const json::value& body, const own_hosts& own,
                                  const uuid& owner, timestamp now) {
  auto object = as_object(body, "request body");
  if (!object)
    return std::move(object.error());
  const auto& fields = **object;
  for (auto name : {"name", "variants"})
    if (auto err = require(fields, name))
      return err;
  const auto& variants = *find_member(fields, "variants");
  if (const auto* xs = variants.if_array())
    if (auto err = require_variant_fields(*xs, "variants"))
      return err;
  link result;
  auto patch = read_fields(fields, [&]() -> caf::error {
    if (const auto* x = find_member(fields, "slug"); x && !x->is_null()) {
      auto slug = as_string(*x, "slug");
      if (!slug)
        return std::move(slug.error());
      if (auto err = check_slug(*slug))
        return err;
      result.slug = *slug;
    }
    const auto* xs = variants.if_array();
    if (!xs)
      return must_be("variants", "an array");
    auto specs = read_variants(*xs, "variants", own);
    if (!specs)
      return std::move(specs.error());
    result.variants = make_variants(*specs, now);
    return {};
  });
  if (!patch)
    return std::move(patch.error());
  if (patch->geo && *patch->geo) {
    result.geo = std::move(**patch->geo);
    if (auto err = check_geo_rules(*result.geo, result.variants))
      return err;
  }
  if (patch->routing)
    result.routing = *patch->routing;
  if (auto err = check_routing(result.routing, result.geo.has_value()))
    return err;
  if (auto err = read_conversion_fields(fields, own, *patch))
    return err;
  result.id = make_uuid(now);
  result.user_id = owner;
  result.name = std::move(*patch->name);
  result.auto_winner = patch->auto_winner.value_or(result.auto_winner);
  result.auto_winner_threshold
    = patch->auto_winner_threshold.value_or(result.auto_winner_threshold);
  result.enable_conversion_tracking
    = patch->enable_conversion_tracking.value_or(
      result.enable_conversion_tracking);
  if (patch->conversion_redirect_url)
    result.conversion_redirect_url = std::move(*patch->conversion_redirect_url);
  result.created_at = now;
  result.updated_at = now;
  return result;
}

caf::expected<link_patch> read_link_patch(const json::value& body,
                                          const own_hosts& own) {
  auto object = as_object(body, "request body");
  if (!object)
    return std::move(object.error());
  const auto& fields = **object;
  std::optional<bool> is_active;
  auto result = read_fields(fields, [&]() -> caf::error {
    if (const auto* x = find_member(fields, "is_active")) {
      auto value = as_bool(*x, "is_active");
      if (!value)
        return std::move(value.error());
      is_active = *value;
    }
    return {};
  });
  if (!result)
    return result;
  result->is_active = is_active;
  if (auto err = read_conversion_fields(fields, own, *result))
    return err;
  return result;
}

caf::error check_read_only(const json::object& body, const link& current) {
  const auto shown = to_json(current);
  for (auto name : {"id", "user_id", "organization_id", "slug", "created_at",
                    "updated_at", "variants"}) {
    const auto* sent = find_member(body, name);
    if (sent && *sent != shown.at(name))
      return make_error(ec::invalid,
                        std::string{name} + " cannot be changed here");
  }
  return {};
}

caf::expected<std::vector<variant_spec>>
read_variant_array(const json::value& body, const own_hosts& own) {
  const auto* xs = body.if_array();
  if (!xs)
    return must_be("request body", "a JSON array");
  if (auto err = require_variant_fields(*xs, ""))
    return err;
  return read_variants(*xs, "", own);
}

caf::expected<uuid> read_promotion(const json::value& body) {
  auto object = as_object(body, "request body");
  if (!object)
    return std::move(object.error());
  if (auto err = require(**object, "variant_id"))
    return err;
  return as_uuid(*find_member(**object, "variant_id"), "variant_id");
}

json::object to_json(const link& x) {
  json::object result;
  result["id"] = to_json_string(x.id.str());
  result["user_id"] = to_json_string(x.user_id.str());
  result["organization_id"] = nullptr;
  result["slug"] = to_json_string(x.slug);
  result["name"] = to_json_string(x.name);
  result["is_active"] = x.is_active;
  result["auto_winner"] = x.auto_winner;
  result["auto_winner_threshold"] = x.auto_winner_threshold;
  result["routing_type"] = to_string(x.routing);
  if (x.geo) {
    json::object rules;
    for (const auto& [country, label] : *x.geo)
      rules[to_json_string(country)] = to_json_string(label);
    result["geo_rules"] = std::move(rules);
  } else {
    result["geo_rules"] = nullptr;
  }
  result["created_at"] = to_json_string(to_iso8601(x.created_at));
  result["updated_at"] = to_json_string(to_iso8601(x.updated_at));
  json::array variants;
  for (const auto& v : x.variants)
    if (!v.retired)
      variants.push_back(to_json(v, x.id));
  result["variants"] = std::move(variants);
  result["enable_conversion_tracking"] = x.enable_conversion_tracking;
  result["conversion_redirect_url"]
    = text_or_null(x.conversion_redirect_url.value_or(""));
  if (x.imported_clicks > 0)
    result["imported_clicks"] = x.imported_clicks;
  return result;
}

std::string link_body(const link& x) {
  return json::serialize(to_json(x));
}

std::string created_body(const link& x, std::string_view short_base) {
  auto result = to_json(x);
  std::string address{short_base};
  address += '/';
  address += x.slug;
  result["short_url"] = to_json_string(address);
  return json::serialize(result);
}

std::string list_body(const link_page& x) {
  json::array items;
  for (const auto& y : x.items) {
    json::object item;
    item["id"] = to_json_string(y.id.str());
    item["slug"] = to_json_string(y.slug);
    item["name"] = to_json_string(y.name);
    item["is_active"] = y.is_active;
    item["routing_type"] = to_string(y.routing);
    item["created_at"] = to_json_string(to_iso8601(y.created_at));
    item["total_clicks"] = y.total_clicks;
    item["total_conversions"] = y.total_conversions;
    item["top_variant"] = to_json_string(y.top_variant);
    items.push_back(std::move(item));
  }
  json::object result;
  result["items"] = std::move(items);
  result["total"] = x.total;
  return json::serialize(result);
}

} // namespace turnout
