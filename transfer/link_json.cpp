#include "transfer/link_json.hpp"

#include "core/identifiers.hpp"
#include "http/codec/link.hpp"

#include <tuple>
#include <utility>

namespace turnout::transfer {

namespace {

/// Clocks of two machines may differ by this much.
constexpr auto clock_slack = std::chrono::hours{24};

constexpr int64_t max_clicks = int64_t{1} << 53;

json::object variant_json(const variant& x) {
  json::object result;
  result["id"] = to_json_string(x.id.str());
  result["label"] = to_json_string(x.label);
  result["destination_url"] = to_json_string(x.destination_url);
  result["weight"] = x.weight;
  result["is_winner"] = x.is_winner;
  result["created_at"] = to_json_string(to_iso8601_micros(x.created_at));
  return result;
}

caf::error broken(std::string text) {
  return make_error(ec::invalid, std::move(text));
}

/// Reads an optional time into `out`.
caf::error read_time(const json::object& x, std::string_view name,
                     const std::string& path, timestamp now, timestamp& out) {
  const auto* member = find_member(x, name);
  if (!member || member->is_null())
    return {};
  auto text = as_string(*member, path);
  if (!text)
    return text.error();
  const auto time = parse_date_or_time(*text);
  if (!time)
    return must_be(path, "a date or date-time of ISO 8601, such as "
                         "2026-11-27T21:58:57Z");
  if (time->at > now + clock_slack)
    return broken(path + " must not be in the future");
  out = time->at;
  return {};
}

/// Reads an optional id into `out` and tells whether there was one.
caf::expected<bool> read_id(const json::object& x, const std::string& path,
                            uuid& out) {
  const auto* member = find_member(x, "id");
  if (!member || member->is_null())
    return false;
  auto id = as_uuid(*member, path);
  if (!id)
    return std::move(id.error());
  if (!*id)
    return must_be(path, "a UUID");
  out = *id;
  return true;
}

/// Reads what a store knows of a variant beside what the create takes.
caf::error read_history(const json::object& x, const std::string& path,
                        timestamp now, variant& out) {
  if (auto id = read_id(x, path + ".id", out.id); !id)
    return id.error();
  if (const auto* member = find_member(x, "is_winner")) {
    auto value = as_bool(*member, path + ".is_winner");
    if (!value)
      return value.error();
    if (*value && out.weight != 100)
      return broken(path + ".is_winner needs weight 100");
    out.is_winner = *value;
  }
  return read_time(x, "created_at", path + ".created_at", now, out.created_at);
}

caf::expected<variant> read_retired(const json::value& x,
                                    const std::string& path,
                                    const own_hosts& own, timestamp created_at,
                                    timestamp now) {
  auto object = as_object(x, path);
  if (!object)
    return std::move(object.error());
  for (auto name : {"label", "destination_url"})
    if (auto err = require(**object, name, path + "."))
      return err;
  auto label = as_string(*find_member(**object, "label"), path + ".label");
  if (!label)
    return std::move(label.error());
  if (auto err = check_label(*label, path + ".label"))
    return err;
  const auto url_path = path + ".destination_url";
  auto url = as_string(*find_member(**object, "destination_url"), url_path);
  if (!url)
    return std::move(url.error());
  if (auto err = check_destination(*url, own, url_path))
    return err;
  variant result;
  result.label = *label;
  result.destination_url = *url;
  result.retired = true;
  result.created_at = created_at;
  if (const auto* member = find_member(**object, "weight")) {
    auto weight = as_integer(*member, path + ".weight");
    if (!weight)
      return std::move(weight.error());
    if (auto err = check_weight(*weight, path + ".weight"))
      return err;
    result.weight = static_cast<int>(*weight);
  }
  if (auto err = read_history(**object, path, now, result))
    return err;
  if (result.is_winner)
    return broken(path + " cannot be the winner");
  if (!result.id)
    result.id = make_uuid(now);
  return result;
}

/// Reads the variants that take no traffic any more behind the others.
caf::error read_all_retired(const json::object& body, const own_hosts& own,
                            timestamp now, link& x) {
  const auto* member = find_member(body, "retired_variants");
  if (!member || member->is_null())
    return {};
  const auto* list = member->if_array();
  if (!list)
    return must_be("retired_variants", "an array");
  for (size_t i = 0; i < list->size(); ++i) {
    auto read
      = read_retired((*list)[i], "retired_variants[" + std::to_string(i) + "]",
                     own, x.created_at, now);
    if (!read)
      return read.error();
    read->position = static_cast<int>(x.variants.size());
    x.variants.push_back(std::move(*read));
  }
  return {};
}

/// Checks what a store takes for granted.
caf::error check_unique(const link& x) {
  for (auto i = x.variants.begin(); i != x.variants.end(); ++i)
    for (auto j = x.variants.begin(); j != i; ++j) {
      if (i->label == j->label)
        return broken("Variant label '" + i->label
                      + "' is used more than once");
      if (i->id == j->id)
        return broken("Variant id '" + i->id.str()
                      + "' is used more than once");
    }
  return {};
}

} // namespace

json::object to_json(const storage::counted_link& x) {
  const auto& y = x.subject;
  json::object result;
  result["slug"] = to_json_string(y.slug);
  result["name"] = to_json_string(y.name);
  result["is_active"] = y.is_active;
  result["routing_type"] = to_string(y.routing);
  if (y.geo) {
    json::object rules;
    for (const auto& [country, label] : *y.geo)
      rules[to_json_string(country)] = to_json_string(label);
    result["geo_rules"] = std::move(rules);
  } else {
    result["geo_rules"] = nullptr;
  }
  result["auto_winner"] = y.auto_winner;
  result["auto_winner_threshold"] = y.auto_winner_threshold;
  result["enable_conversion_tracking"] = y.enable_conversion_tracking;
  result["conversion_redirect_url"]
    = text_or_null(y.conversion_redirect_url.value_or(""));
  result["total_clicks"] = y.imported_clicks + x.clicks;
  result["created_at"] = to_json_string(to_iso8601_micros(y.created_at));
  result["updated_at"] = to_json_string(to_iso8601_micros(y.updated_at));
  result["id"] = to_json_string(y.id.str());
  json::array variants;
  json::array retired;
  for (const auto& v : y.variants)
    (v.retired ? retired : variants).push_back(variant_json(v));
  result["variants"] = std::move(variants);
  result["retired_variants"] = std::move(retired);
  return result;
}

caf::expected<link_draft> read_link(const json::object& body,
                                    const own_hosts& own, const uuid& owner,
                                    timestamp now) {
  auto made = read_new_link(json::value(body), own, owner, now);
  if (!made)
    return std::move(made.error());
  link_draft result;
  auto& x = result.subject;
  x = std::move(*made);
  if (auto err = read_time(body, "created_at", "created_at", now, x.created_at))
    return err;
  x.updated_at = x.created_at;
  if (auto err = read_time(body, "updated_at", "updated_at", now, x.updated_at))
    return err;
  if (x.created_at != now)
    x.id = make_uuid(x.created_at);
  auto has_id = read_id(body, "id", x.id);
  if (!has_id)
    return std::move(has_id.error());
  result.has_id = *has_id;
  if (const auto* member = find_member(body, "is_active")) {
    auto value = as_bool(*member, "is_active");
    if (!value)
      return std::move(value.error());
    x.is_active = *value;
  }
  if (const auto* member = find_member(body, "total_clicks")) {
    auto value = as_integer(*member, "total_clicks");
    if (!value)
      return std::move(value.error());
    if (*value < 0 || *value > max_clicks)
      return must_be("total_clicks", "0 or more");
    x.imported_clicks = *value;
  }
  const auto& variants = find_member(body, "variants")->get_array();
  for (size_t i = 0; i < x.variants.size(); ++i) {
    x.variants[i].created_at = x.created_at;
    if (auto err = read_history(variants[i].get_object(),
                                "variants[" + std::to_string(i) + "]", now,
                                x.variants[i]))
      return err;
  }
  if (auto err = read_all_retired(body, own, now, x))
    return err;
  if (auto err = check_unique(x))
    return err;
  return result;
}

bool is_same_link(const link& x, const link& y) {
  const auto active = [](const link& z) {
    std::vector<std::tuple<std::string, std::string, int, bool>> result;
    for (const auto& v : z.variants)
      if (!v.retired)
        result.emplace_back(v.label, v.destination_url, v.weight, v.is_winner);
    return result;
  };
  const auto settings = [](const link& z) {
    return std::tie(z.user_id, z.slug, z.name, z.is_active, z.is_deleted,
                    z.auto_winner, z.auto_winner_threshold, z.routing, z.geo,
                    z.enable_conversion_tracking, z.conversion_redirect_url);
  };
  return settings(x) == settings(y) && active(x) == active(y);
}

} // namespace turnout::transfer
