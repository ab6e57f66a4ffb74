#include "http/api_description.hpp"

#include "core/identifiers.hpp"
#include "http/docs_data.hpp"
#include "http/handlers.hpp"
#include "http/match_etag.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

namespace turnout {

namespace {

/// Puts an address in place of a mark, as a JSON string.
void put(std::string& text, std::string_view mark, std::string_view address) {
  const std::string from = '"' + std::string{mark} + '"';
  const auto to = boost::json::serialize(boost::json::value(
    boost::json::string_view(address.data(), address.size())));
  for (auto pos = text.find(from); pos != std::string::npos;
       pos = text.find(from, pos + to.size()))
    text.replace(pos, from.size(), to);
}

} // namespace

api_description describe_api(std::string_view base_url,
                             std::string_view public_root,
                             std::string_view short_base) {
  api_description result;
  result.text = docs_data::description;
  put(result.text, "@base_url@", base_url);
  put(result.text, "@public_root@", public_root);
  put(result.text, "@short_base@", short_base);
  result.etag = '"' + sha256_hex(result.text).substr(0, 32) + '"';
  return result;
}

void get_description(const api_call_ptr& call) {
  const auto& x = call->where().description;
  const auto is_known = matches_etag(call->in().if_none_match, x.etag);
  response result{is_known ? 304 : 200};
  result.header("ETag", x.etag).header("Cache-Control", "public, max-age=300");
  if (!is_known)
    result.content("application/json", x.text);
  call->send(std::move(result));
}

} // namespace turnout
