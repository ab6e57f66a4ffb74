#include "http/docs.hpp"

#include "http/docs_data.hpp"
#include "http/match_etag.hpp"
#include "http/pages.hpp"

#include <algorithm>
#include <string>

namespace turnout {

namespace {

constexpr std::string_view page_mark = "@description_path@";

/// Returns `text` as the value of an HTML attribute.
std::string escape_html(std::string_view text) {
  std::string result;
  for (auto c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '<':
        result += "&lt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

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

response file_response(const asset& file, const request& in) {
  const auto compressed = accepts_gzip(in.accept_encoding);
  std::string etag{'"'};
  etag += file.hash;
  etag += compressed ? "-gzip\"" : "\"";
  const auto is_known = matches_etag(in.if_none_match, etag);
  response result{is_known ? 304 : 200};
  // Kept, but asked for again: the address stays when the content changes.
  result.header("Cache-Control", "public, no-cache")
    .header("ETag", etag)
    .header("Vary", "Accept-Encoding")
    .header("X-Content-Type-Options", "nosniff");
  if (is_known)
    return result;
  if (compressed)
    result.header("Content-Encoding", "gzip");
  result.content(file.type, std::string{compressed ? file.gzip : file.plain});
  return result;
}

} // namespace

void answer_docs(site& where, const exchange_ptr& x) {
  const auto& in = x->in();
  if (in.path == "/docs" || in.path == "/docs/")
    return x->send(page_response(where));
  const auto i
    = std::find_if(docs_data::files.begin(), docs_data::files.end(),
                   [&](const asset& y) { return y.path == in.path; });
  if (i == docs_data::files.end())
    return x->send(not_found_page(in));
  x->send(file_response(*i, in));
}

bool accepts_gzip(std::string_view accept_encoding) noexcept {
  auto rest = accept_encoding;
  while (!rest.empty()) {
    const auto end = rest.find(',');
    auto item = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{}
                                         : rest.substr(end + 1);
    const auto begin = item.find_first_not_of(" \t");
    if (begin == std::string_view::npos)
      continue;
    item.remove_prefix(begin);
    const auto name_end = item.find_first_of("; \t");
    if (item.substr(0, name_end) != "gzip")
      continue;
    // Refused by "q=0", "q=0.0" and the like.
    const auto q = item.find("q=");
    return q == std::string_view::npos
           || item.find_first_of("123456789", q) != std::string_view::npos;
  }
  return false;
}

} // namespace turnout
