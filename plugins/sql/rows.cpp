#include "plugins/sql/rows.hpp"

#include "core/ascii.hpp"

#include <algorithm>
#include <charconv>

namespace turnout::plugins {

namespace {

constexpr char unknown[] = "unknown";

} // namespace

// -- accounts and keys --------------------------------------------------------

account_row::account_row(const account& x)
  : id(x.id),
    email(x.email),
    password_hash(x.password_hash),
    api_access(x.api_access),
    rate_limit(x.rate_limit.value_or(-1)),
    created_at(to_micros(x.created_at)) {
  // nop
}

account account_row::get() const {
  account x;
  x.id = id;
  x.email = email;
  x.password_hash = password_hash;
  x.api_access = api_access != 0;
  if (rate_limit >= 0)
    x.rate_limit = rate_limit;
  x.created_at = from_micros(created_at);
  return x;
}

api_key_row::api_key_row(const api_key& x)
  : id(x.id),
    account_id(x.account_id),
    type(static_cast<int>(x.type)),
    name(x.name),
    prefix(x.prefix),
    hash(x.hash),
    created_at(to_micros(x.created_at)),
    last_used_at(x.last_used_at ? to_micros(*x.last_used_at) : 0),
    is_active(x.is_active) {
  // nop
}

api_key api_key_row::get() const {
  api_key x;
  x.id = id;
  x.account_id = account_id;
  x.type = static_cast<key_type>(type);
  x.name = name;
  x.prefix = prefix;
  x.hash = hash;
  x.created_at = from_micros(created_at);
  if (last_used_at != 0)
    x.last_used_at = from_micros(last_used_at);
  x.is_active = is_active != 0;
  return x;
}

// -- links --------------------------------------------------------------------

link_row::link_row(const link& x)
  : key(x.key),
    id(x.id),
    user_id(x.user_id),
    slug(x.slug),
    name(x.name),
    is_active(x.is_active),
    is_deleted(x.is_deleted),
    auto_winner(x.auto_winner),
    auto_winner_threshold(x.auto_winner_threshold),
    routing(static_cast<int>(x.routing)),
    geo(encode_geo(x.geo)),
    enable_conversion_tracking(x.enable_conversion_tracking),
    conversion_redirect_url(x.conversion_redirect_url.value_or("")),
    created_at(to_micros(x.created_at)),
    updated_at(to_micros(x.updated_at)),
    generation(x.generation),
    stratum(x.stratum),
    version(x.version),
    imported_clicks(x.imported_clicks) {
  // nop
}

link link_row::get() const {
  link x;
  x.key = key;
  x.id = id;
  x.user_id = user_id;
  x.slug = slug;
  x.name = name;
  x.is_active = is_active != 0;
  x.is_deleted = is_deleted != 0;
  x.auto_winner = auto_winner != 0;
  x.auto_winner_threshold = auto_winner_threshold;
  x.routing = static_cast<routing_type>(routing);
  x.geo = decode_geo(geo);
  x.enable_conversion_tracking = enable_conversion_tracking != 0;
  if (!conversion_redirect_url.empty())
    x.conversion_redirect_url = conversion_redirect_url;
  x.created_at = from_micros(created_at);
  x.updated_at = from_micros(updated_at);
  x.generation = generation;
  x.stratum = stratum;
  x.version = version;
  x.imported_clicks = imported_clicks;
  return x;
}

variant_row::variant_row(const variant& x)
  : key(x.key),
    id(x.id),
    label(x.label),
    destination_url(x.destination_url),
    weight(x.weight),
    is_winner(x.is_winner),
    retired(x.retired),
    position(x.position),
    created_at(to_micros(x.created_at)) {
  // nop
}

variant variant_row::get() const {
  variant x;
  x.key = key;
  x.id = id;
  x.label = label;
  x.destination_url = destination_url;
  x.weight = weight;
  x.is_winner = is_winner != 0;
  x.retired = retired != 0;
  x.position = position;
  x.created_at = from_micros(created_at);
  return x;
}

// Rules are lines of a country code, a tab and a label: neither may hold a
// control character. An empty set is one empty line, to differ from none.

std::string encode_geo(const std::optional<geo_rules>& x) {
  if (!x)
    return {};
  if (x->empty())
    return "\n";
  std::string result;
  for (const auto& [country, label] : *x)
    result += country + '\t' + label + '\n';
  return result;
}

std::optional<geo_rules> decode_geo(const std::string& text) {
  if (text.empty())
    return std::nullopt;
  geo_rules result;
  for (size_t begin = 0; begin < text.size();) {
    auto end = text.find('\n', begin);
    if (end == std::string::npos)
      end = text.size();
    auto tab = text.find('\t', begin);
    if (tab < end)
      result.emplace_back(text.substr(begin, tab - begin),
                          text.substr(tab + 1, end - tab - 1));
    begin = end + 1;
  }
  return result;
}

std::string encode_weights(const stratum& x) {
  std::string result;
  for (const auto& [id, weight] : x.weights)
    result += id.str() + '=' + std::to_string(weight) + '\n';
  return result;
}

void decode_weights(const std::string& text, stratum& x) {
  constexpr size_t id_length = 36;
  for (size_t begin = 0; begin + id_length + 1 < text.size();) {
    auto end = std::min(text.find('\n', begin), text.size());
    auto id = uuid::parse(std::string_view{text}.substr(begin, id_length));
    auto weight = 0;
    std::from_chars(text.data() + begin + id_length + 1, text.data() + end,
                    weight);
    if (id)
      x.weights.emplace_back(*id, weight);
    begin = end + 1;
  }
}

std::string fold_email(const std::string& email) {
  return lowered(email);
}

// -- events -------------------------------------------------------------------

dimension_values unknown_values() {
  dimension_values result;
  result.fill(unknown);
  return result;
}

// The first 48 bits of a UUIDv7 are its milliseconds.

int64_t first_id(timestamp from) {
  auto ms = std::chrono::floor<std::chrono::milliseconds>(from);
  return ms.time_since_epoch().count() << 16;
}

int64_t end_id(timestamp until) {
  auto ms = std::chrono::ceil<std::chrono::milliseconds>(until);
  return ms.time_since_epoch().count() << 16;
}

dimension_values values_of(const click& x, const dimension_values& classes) {
  auto result = classes;
  result[static_cast<size_t>(dimension::country)] = x.country;
  for (auto& value : result)
    if (value.empty())
      value = unknown;
  return result;
}

} // namespace turnout::plugins
