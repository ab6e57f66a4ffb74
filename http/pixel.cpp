#include "http/pixel.hpp"

#include "http/conversion_source.hpp"

#include <string>

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

} // namespace

void answer_pixel(site& where, const exchange_ptr& x,
                  std::string_view link_id) {
  const auto& in = x->in();
  const auto id = uuid::parse(link_id);
  if (!id || !*id || in.method != http_method::get) {
    x->send(gif_response());
    return;
  }
  where.counters.conversions_by_pixel->Increment();
  where.actors.journal(in.reactor, read_conversion_query(where, in, *id),
                       [x, &where](bool committed) {
                         if (!committed)
                           where.counters.clicks_lost->Increment();
                         x->send(gif_response());
                       });
}

} // namespace turnout
