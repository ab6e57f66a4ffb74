#include "http/pages.hpp"

namespace turnout {

namespace {

constexpr auto html = "text/html; charset=utf-8";

} // namespace

response not_found_page(const request& in) {
  response result{404};
  result.header("Cache-Control", "no-store");
  if (in.accept.find("text/html") != std::string_view::npos)
    result.content(html, "<!doctype html><html lang=\"en\"><meta "
                         "charset=\"utf-8\"><title>Not found</title><h1>Not "
                         "found</h1><p>There is no link at this address.</p>"
                         "</html>\n");
  else
    result.content("application/json", R"({"detail":"Link not found"})");
  return result;
}

response to_dashboard() {
  response result{302};
  result.header("Location", "/app").header("Cache-Control", "no-cache");
  return result;
}

response robots_page() {
  response result{200};
  result.content("text/plain; charset=utf-8",
                 "User-agent: *\nDisallow: /api/\n");
  return result;
}

response only_get_and_head() {
  auto result = detail_response(405, "Method not allowed");
  result.header("Allow", "GET, HEAD");
  return result;
}

} // namespace turnout
