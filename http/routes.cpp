#include "http/routes.hpp"

#include "http/handlers.hpp"

namespace turnout {

namespace {

constexpr operation links[] = {
  {http_method::get, credential::key, list_links},
  {http_method::post, credential::secret_key, create_link},
};

constexpr operation one_link[] = {
  {http_method::get, credential::key, get_link},
  {http_method::put, credential::secret_key, update_link},
  {http_method::del, credential::secret_key, delete_link},
};

constexpr operation variants[]
  = {{http_method::put, credential::secret_key, put_variants}};

constexpr operation promotion[]
  = {{http_method::post, credential::secret_key, promote_winner}};

constexpr operation clicks[]
  = {{http_method::get, credential::key, list_clicks}};

constexpr operation clicks_csv[]
  = {{http_method::get, credential::key, export_clicks}};

constexpr operation analytics[]
  = {{http_method::get, credential::key, get_analytics}};

constexpr operation winner[]
  = {{http_method::get, credential::key, get_winner}};

constexpr operation qr_code[] = {{http_method::get, credential::key, get_qr}};

constexpr operation slug[] = {{http_method::get, credential::key, get_slug}};

constexpr operation conversions[]
  = {{http_method::post, credential::secret_key, convert}};

constexpr operation description[] = {
  {http_method::get, credential::none, get_description},
};

constexpr operation keys[] = {
  {http_method::get, credential::session, list_keys},
  {http_method::post, credential::session, create_key},
};

constexpr operation one_key[]
  = {{http_method::del, credential::session, revoke_key}};

constexpr operation rate_limit[]
  = {{http_method::get, credential::session, get_rate_limit}};

constexpr route table[] = {
  {"/public/links", links},
  {"/public/links/{id}", one_link},
  {"/public/links/{id}/variants", variants},
  {"/public/links/{id}/promote-winner", promotion},
  {"/public/links/{id}/clicks", clicks},
  {"/public/links/{id}/clicks.csv", clicks_csv},
  {"/public/links/{id}/analytics", analytics},
  {"/public/links/{id}/analytics/winner", winner},
  {"/public/links/{id}/qr", qr_code},
  {"/public/slugs/{id}", slug},
  {"/public/conversions", conversions},
  {"/public/keys", keys},
  // Before the pattern that it fits.
  {"/public/keys/rate-limit", rate_limit},
  {"/public/keys/{id}", one_key},
  {"/openapi.json", description},
};

constexpr std::string_view placeholder = "{id}";

/// Compares segment by segment.
bool matches(std::string_view pattern, std::string_view path,
             std::string_view& id) noexcept {
  const auto pos = pattern.find(placeholder);
  if (pos == std::string_view::npos)
    return pattern == path;
  if (path.substr(0, pos) != pattern.substr(0, pos))
    return false;
  const auto rest = path.substr(pos);
  id = rest.substr(0, rest.find('/'));
  return !id.empty()
         && rest.substr(id.size()) == pattern.substr(pos + placeholder.size());
}

} // namespace

route_match find_route(std::string_view path, http_method method) noexcept {
  route_match result;
  for (const auto& x : table) {
    if (!matches(x.path, path, result.id))
      continue;
    result.where = &x;
    for (const auto& y : x.operations)
      if (y.method == method)
        result.what = &y;
    return result;
  }
  return result;
}

std::span<const route> all_routes() noexcept {
  return table;
}

std::string methods_of(const route& x) {
  std::string result;
  for (const auto& y : x.operations) {
    if (!result.empty())
      result += ", ";
    result += to_string(y.method);
  }
  return result;
}

} // namespace turnout
