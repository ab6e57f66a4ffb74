#include "http/asset.hpp"

#include "http/match_etag.hpp"

#include <algorithm>

namespace turnout {

const asset* find_asset(std::span<const asset> files,
                        std::string_view path) noexcept {
  const auto i = std::find_if(files.begin(), files.end(),
                              [&](const asset& x) { return x.path == path; });
  return i == files.end() ? nullptr : &*i;
}

response asset_response(const asset& file, const request& in) {
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

} // namespace turnout
