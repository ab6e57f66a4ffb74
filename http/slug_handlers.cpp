#include "core/rules.hpp"
#include "http/codec/json.hpp"
#include "http/handlers.hpp"
#include "http/percent.hpp"

#include <boost/json/serialize.hpp>

#include <string>
#include <utility>

namespace turnout {

namespace {

/// Answers whether a slug is available.
/// @param detail what a creation would say; empty when it is available.
void send_slug(api_call& call, std::string_view slug, std::string_view detail) {
  auto answer = json_response(
    200, json::serialize(json::object{{"slug", to_json_string(slug)},
                                      {"available", detail.empty()},
                                      {"detail", text_or_null(detail)}}));
  answer.header("Cache-Control", "no-store");
  call.send(std::move(answer));
}

} // namespace

void get_slug(const api_call_ptr& call) {
  auto slug = percent_decode(call->id_text, false);
  if (!slug)
    return call->fail(ec::bad_request, "slug is not percent-encoded text");
  // Also says that it is no UTF-8, so that it is not repeated then.
  if (const auto err = check_slug(*slug))
    return send_slug(*call, call->id_text, detail(err));
  call->where().actors.is_slug_free(
    *slug,
    call->receive_value<bool>([slug = *slug](api_call& call, bool is_free) {
      send_slug(call, slug,
                is_free ? "" : "Slug '" + slug + "' is already taken");
    }));
}

} // namespace turnout
