#include "http/conversion_source.hpp"

#include "core/cookie.hpp"
#include "core/identifiers.hpp"
#include "core/visitor.hpp"
#include "http/codec/conversion.hpp"
#include "http/codec/query.hpp"

#include <optional>
#include <string>
#include <utility>

namespace turnout {

namespace {

/// Returns a parameter, or nothing when it is absent or cannot be decoded.
std::optional<std::string> find(const query_params& query,
                                std::string_view name) {
  auto value = query.get(name);
  return value ? std::move(*value) : std::nullopt;
}

} // namespace

void add_visitor(site& where, const request& in, conversion_request& x) {
  if (!x.click_id)
    if (const auto cookie = find_sticky_cookie(in.cookies, x.link_id))
      x.click_id = cookie->click_id;
  const auto address = where.rules().clients.address(in);
  const auto agent = clean_text(in.user_agent, max_user_agent);
  const auto secrets = where.actors.visitor_secrets(x.created_at);
  for (size_t i = 0; i < secrets.size(); ++i)
    x.visitors[i] = visitor_key(secrets[i], address, agent);
}

conversion_request read_conversion_query(site& where, const request& in,
                                         const uuid& link_id) {
  conversion_request result;
  const auto at = now();
  result.id = make_uuid(at);
  result.link_id = link_id;
  result.occurred_at = at;
  result.created_at = at;
  query_params query{in.query};
  if (const auto text = find(query, "click_id"))
    if (const auto id = uuid::parse(*text))
      result.click_id = *id;
  if (const auto text = find(query, "event_id"); text && is_event_id(*text))
    result.event_id = *text;
  if (const auto text = find(query, "value"); text && is_amount(*text))
    result.value = *text;
  if (const auto text = find(query, "currency"); text && is_currency(*text))
    result.currency = *text;
  add_visitor(where, in, result);
  return result;
}

} // namespace turnout
