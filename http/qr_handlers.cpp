#include "core/identifiers.hpp"
#include "http/codec/qr.hpp"
#include "http/handlers.hpp"
#include "http/match_etag.hpp"

#include <utility>

namespace turnout {

namespace {

void send_qr(api_call& call, const link& x, const qr_options& how) {
  const auto code = make_qr_code(call.where().short_base + '/' + x.slug, how);
  if (!code)
    return call.fail(code.error());
  const auto is_png = how.format == qr_options::file_format::png;
  auto image = is_png ? render_png(*code, how)
                      : caf::expected<std::string>{render_svg(*code, how)};
  if (!image)
    return call.fail(image.error());
  const auto etag = '"' + sha256_hex(*image).substr(0, 32) + '"';
  const auto is_known = matches_etag(call.in().if_none_match, etag);
  response answer{is_known ? 304 : 200};
  // Asked for again, as the link may be gone.
  answer.header("Cache-Control", "private, no-cache")
    .header("ETag", etag)
    .header("X-Content-Type-Options", "nosniff");
  if (!is_known)
    answer
      .header("Content-Disposition",
              "inline; filename=\"" + x.slug + (is_png ? ".png\"" : ".svg\""))
      .header("Content-Security-Policy", "default-src 'none'; sandbox")
      .content(is_png ? "image/png" : "image/svg+xml", std::move(*image));
  call.send(std::move(answer));
}

} // namespace

void get_qr(const api_call_ptr& call) {
  auto id = call->path_id();
  if (!id)
    return call->fail(id.error());
  auto how = read_qr_options(query_params{call->in().query});
  if (!how)
    return call->fail(how.error());
  call->where().actors.with_link(
    call->who.account_id, *id, {},
    call->receive_value<link>(
      [how = *how](api_call& call, const link& x) { send_qr(call, x, how); }));
}

} // namespace turnout
