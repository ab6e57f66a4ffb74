#include "http/docs.hpp"

#include "http/docs_data.hpp"
#include "http/pages.hpp"

#include <string>

namespace turnout {

namespace {

constexpr std::string_view page_mark = "@description_path@";

std::string page_of(const site& where) {
  std::string result{docs_data::page};
  const auto path = escape_html(where.api_prefix + "/openapi.json");
  for (auto pos = result.find(page_mark); pos != std::string::npos;
       pos = result.find(page_mark, pos + path.size()))
    result.replace(pos, page_mark.size(), path);
  return result;
}

response page_response(const site& where) {
  response result{200};
  // Everything comes from here; requests that are tried out go to the API,
  // which may have a host of its own.
  result
    .header("Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; "
            "img-src 'self' data:; connect-src 'self' "
              + where.public_root
              + "; base-uri 'none'; form-action 'none'; "
                "frame-ancestors 'none'")
    .header("Referrer-Policy", "no-referrer")
    .header("X-Content-Type-Options", "nosniff")
    .header("Cache-Control", "no-cache")
    .content("text/html; charset=utf-8", page_of(where));
  return result;
}

} // namespace

void answer_docs(site& where, const exchange_ptr& x) {
  const auto& in = x->in();
  if (in.path == "/docs" || in.path == "/docs/")
    return x->send(page_response(where));
  if (const auto* file = find_asset(docs_data::files, in.path))
    return x->send(asset_response(*file, in));
  x->send(not_found_page(in));
}

} // namespace turnout
