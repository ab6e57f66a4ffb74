#include "http/router.hpp"

#include "http/api.hpp"
#include "http/auth.hpp"
#include "http/conversion_redirect.hpp"
#include "http/docs.hpp"
#include "http/pages.hpp"
#include "http/percent.hpp"
#include "http/pixel.hpp"
#include "http/script.hpp"
#include "http/visit_reply.hpp"
#include "monitoring/log.hpp"

#include <algorithm>
#include <exception>
#include <string>

namespace turnout {

namespace {

constexpr std::string_view conversion_prefix = "/c/";

constexpr std::string_view pixel_suffix = ".gif";

bool is_below(std::string_view path, std::string_view prefix) noexcept {
  return path.starts_with(prefix)
         && (path.size() == prefix.size() || path[prefix.size()] == '/');
}

bool may_be_slug(std::string_view x) noexcept {
  return x.size() >= 3 && x.size() <= 32
         && std::all_of(x.begin(), x.end(), [](char c) {
              return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                     || (c >= '0' && c <= '9') || c == '-' || c == '_';
            });
}

void answer_segment(site& where, const exchange_ptr& x,
                    std::string_view segment) {
  std::string slug;
  if (segment.find('%') == std::string_view::npos) {
    slug = segment;
  } else if (auto decoded = percent_decode(segment, false)) {
    slug = std::move(*decoded);
  }
  if (may_be_slug(slug) && !is_reserved_slug(slug))
    return start_visit(where, x, std::move(slug));
  if (slug == "robots.txt")
    return x->send(robots_page());
  if (slug == "favicon.ico")
    return x->send(response{204});
  where.counters.redirects_not_found->Increment();
  x->send(not_found_page(x->in()));
}

void route_or_throw(site& where, const exchange_ptr& x) {
  const auto& in = x->in();
  if (is_below(in.path, where.api_prefix) || is_below(in.path, "/api"))
    return handle_api(where, x);
  if (is_below(in.path, "/auth"))
    return handle_auth(where, x);
  if (in.load > where.rules().max_in_flight) {
    where.counters.refused_overload->Increment();
    return x->send(unanswered());
  }
  if (in.header_bytes > max_header_bytes)
    return x->send(
      error_response(make_error(ec::headers_too_large, "headers too large")));
  if (in.method != http_method::get && in.method != http_method::head)
    return x->send(only_get_and_head());
  auto path = in.path;
  if (path == "/")
    return x->send(to_dashboard());
  if (is_below(path, "/app"))
    return x->send(where.dashboard.answer(in));
  if (is_below(path, "/assets"))
    return x->send(dashboard_asset(in));
  if (is_below(path, "/docs"))
    return answer_docs(where, x);
  if (path == "/c.js")
    return x->send(script_answer(in));
  if (path.starts_with(conversion_prefix)) {
    path.remove_prefix(conversion_prefix.size());
    if (path.find('/') != std::string_view::npos)
      return x->send(not_found_page(in));
    if (!path.ends_with(pixel_suffix))
      return answer_conversion_redirect(where, x, path);
    path.remove_suffix(pixel_suffix.size());
    return answer_pixel(where, x, path);
  }
  path.remove_prefix(1);
  if (path.ends_with('/'))
    path.remove_suffix(1);
  if (path.find('/') == std::string_view::npos)
    return answer_segment(where, x, path);
  x->send(not_found_page(in));
}

} // namespace

void route_request(site& where, const exchange_ptr& x) noexcept {
  try {
    route_or_throw(where, x);
    return;
  } catch (const std::exception& e) {
    log::error("exception in a handler", {{"error", e.what()}});
  } catch (...) {
    log::error("exception in a handler");
  }
  try {
    x->send(error_response(make_error(ec::internal, "exception")));
  } catch (...) {
    // The exchange answers by itself.
  }
}

} // namespace turnout
