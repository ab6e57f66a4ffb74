#include "http/codec/key.hpp"

#include "core/rules.hpp"
#include "http/codec/json.hpp"

#include <boost/json/serialize.hpp>

namespace turnout {

caf::expected<key_request> read_key_request(const query_params& query) {
  auto name = query.get("name");
  if (!name)
    return std::move(name.error());
  if (!*name)
    return make_error(ec::invalid, "field required: name");
  auto checked = check_name(**name);
  if (!checked)
    return std::move(checked.error());
  auto type = query.get("type");
  if (!type)
    return std::move(type.error());
  key_request result;
  result.name = std::move(*checked);
  if (*type) {
    const auto parsed = parse_key_type(**type);
    // Live keys come from the command line only.
    if (!parsed || *parsed == key_type::live)
      return must_be("type", "\"secret\" or \"publishable\"");
    result.type = *parsed;
  }
  return result;
}

std::string created_key_body(const created_key& x, int rate_limit) {
  return json::serialize(
    json::object{{"id", x.stored.id.str()},
                 {"name", to_json_string(x.stored.name)},
                 {"key", x.text},
                 {"key_prefix", x.stored.prefix},
                 {"created_at", to_iso8601(x.stored.created_at)},
                 {"rate_limit", rate_limit}});
}

std::string keys_body(const std::vector<api_key>& keys, int rate_limit) {
  json::array items;
  for (const auto& x : keys) {
    json::object item{
      {"id", x.id.str()},        {"name", to_json_string(x.name)},
      {"key_prefix", x.prefix},  {"created_at", to_iso8601(x.created_at)},
      {"last_used_at", nullptr}, {"is_active", x.is_active}};
    if (x.last_used_at)
      item["last_used_at"] = to_iso8601(*x.last_used_at);
    items.emplace_back(std::move(item));
  }
  return json::serialize(json::object{{"keys", std::move(items)},
                                      {"rate_limit_per_hour", rate_limit}});
}

std::string rate_limit_body(const rate_status& x) {
  return json::serialize(json::object{{"limit", x.limit},
                                      {"remaining", x.remaining},
                                      {"reset_at", to_iso8601(x.reset_at)}});
}

} // namespace turnout
