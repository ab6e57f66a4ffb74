#include "http/pixel.hpp"

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

/// A transparent GIF of one pixel.
constexpr unsigned char gif[]
  = {0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 0x01, 0x00, 0x01, 0x00, 0x80,
     0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0x21, 0xf9, 0x04,
     0x01, 0x00, 0x00, 0x00, 0x00, 0x2c, 0x00, 0x00, 0x00, 0x00, 0x01,
     0x00, 0x01, 0x00, 0x00, 0x02, 0x02, 0x44, 0x01, 0x00, 0x3b};

static_assert(sizeof(gif) == 43);

response gif_response() {
  response result{200};
  result.header("Cache-Control", "no-store");
  result.content("image/gif",
                 std::string(reinterpret_cast<const char*>(gif), sizeof(gif)));
  return result;
}

/// Returns a parameter, or nothing when it is absent or cannot be decoded.
std::optional<std::string> find(const query_params& query,
                                std::string_view name) {
  auto value = query.get(name);
  return value ? std::move(*value) : std::nullopt;
}

conversion_request read(site& where, const request& in, const uuid& link_id) {
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
  if (!result.click_id)
    if (const auto cookie = find_sticky_cookie(in.cookies, link_id))
      result.click_id = cookie->click_id;
  if (const auto text = find(query, "event_id"); text && is_event_id(*text))
    result.event_id = *text;
  if (const auto text = find(query, "value"); text && is_amount(*text))
    result.value = *text;
  if (const auto text = find(query, "currency"); text && is_currency(*text))
    result.currency = *text;
  const auto address = where.clients.address(in);
  const auto agent = clean_text(in.user_agent, 512);
  const auto secrets = where.actors.visitor_secrets(at);
  for (size_t i = 0; i < secrets.size(); ++i)
    result.visitors[i] = visitor_key(secrets[i], address, agent);
  return result;
}

} // namespace

void answer_pixel(site& where, const exchange_ptr& x,
                  std::string_view link_id) {
  const auto& in = x->in();
  const auto id = uuid::parse(link_id);
  if (!id || !*id || in.method != http_method::get) {
    x->send(gif_response());
    return;
  }
  where.actors.journal(in.reactor, read(where, in, *id),
                       [x, &where](bool committed) {
                         if (!committed)
                           where.counters.clicks_lost->Increment();
                         x->send(gif_response());
                       });
}

} // namespace turnout
