#include "http/asset.hpp"
#include "http/docs_data.hpp"
#include "http/routes.hpp"
#include "tests/http/fixture.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <set>

using namespace turnout;
using namespace turnout::test;

namespace {

namespace json = boost::json;

/// Operations that the document describes and that are not routed yet. Whoever
/// adds one to the route table takes it out here: the test below fails while
/// it stands in both.
const std::set<std::string> not_routed_yet = {};

/// Replaces "{id}" and the like by "{}".
std::string without_names(std::string_view path) {
  std::string result;
  auto inside = false;
  for (auto c : path) {
    if (c == '}')
      inside = false;
    if (!inside)
      result += c;
    if (c == '{')
      inside = true;
  }
  return result;
}

std::string name_of(credential x) {
  switch (x) {
    case credential::none:
      return "none";
    case credential::key:
      return "key";
    case credential::secret_key:
      return "secret";
    case credential::session:
      return "session";
  }
  return "?";
}

/// What the document says that an operation needs.
std::string credential_of(const json::object& operation,
                          const json::array& fallback) {
  const auto* own = operation.if_contains("security");
  const auto& security = own ? own->as_array() : fallback;
  if (security.empty())
    return "none";
  const auto& scheme = security.at(0).as_object().begin()->key();
  if (scheme != "apiKey")
    return std::string{scheme};
  const auto* kind = operation.if_contains("x-key");
  return kind ? std::string{kind->as_string()} : "key";
}

/// Operations below base_url that the document names, such as
/// "GET /public/links key".
std::set<std::string> documented(const json::object& doc) {
  std::set<std::string> result;
  for (const auto& [path, item] : doc.at("paths").as_object()) {
    const auto& members = item.as_object();
    if (members.contains("servers"))
      continue; // elsewhere
    for (const auto& [name, operation] : members) {
      if (name == "parameters")
        continue;
      std::string method{name};
      std::transform(method.begin(), method.end(), method.begin(),
                     [](char c) { return static_cast<char>(c - 'a' + 'A'); });
      result.insert(
        method + ' ' + without_names(path) + ' '
        + credential_of(operation.as_object(), doc.at("security").as_array()));
    }
  }
  return result;
}

std::set<std::string> routed() {
  std::set<std::string> result;
  for (const auto& x : all_routes())
    for (const auto& y : x.operations)
      result.insert(std::string{to_string(y.method)} + ' '
                    + without_names(x.path) + ' ' + name_of(y.needs));
  return result;
}

class description : public http_test {
public:
  json::object document() {
    return get("/api/v1/openapi.json")->json().as_object();
  }

  std::shared_ptr<outcome> get_with(const std::string& target,
                                    const std::string& name,
                                    const std::string& value) {
    return send({http_method::get, target, {{name, value}}, ""});
  }
};

} // namespace

TEST_F(description, names_the_operations_of_the_route_table) {
  auto expected = documented(document());
  const auto table = routed();
  for (const auto& x : not_routed_yet) {
    EXPECT_EQ(expected.erase(x), 1u) << x << " is not described";
    EXPECT_EQ(table.count(x), 0u) << x << " is routed: take it off the list";
  }
  EXPECT_EQ(table, expected);
}

TEST_F(description, has_the_addresses_of_the_service) {
  const auto doc = document();
  const auto server = [](const json::value& x) {
    return x.at("servers").at(0).at("url").as_string();
  };
  EXPECT_EQ(server(doc), "https://s.example/api/v1");
  const auto& paths = doc.at("paths").as_object();
  EXPECT_EQ(server(paths.at("/auth/v1/token")), "https://s.example");
  EXPECT_EQ(server(paths.at("/{slug}")), "https://s.example");
  where.base_url = "https://api.example:8443/x/api/v1/";
  where.short_base = "https://go.example";
  where.listening_on("127.0.0.1:1");
  const auto moved = get("/x/api/v1/openapi.json")->json().as_object();
  EXPECT_EQ(server(moved), "https://api.example:8443/x/api/v1");
  const auto& moved_paths = moved.at("paths").as_object();
  EXPECT_EQ(server(moved_paths.at("/auth/v1/token")),
            "https://api.example:8443");
  EXPECT_EQ(server(moved_paths.at("/c/{link_id}.gif")), "https://go.example");
  EXPECT_EQ(where.description.text.find('@' + std::string{"base"}),
            std::string::npos);
}

TEST_F(description, needs_no_key_and_is_an_answer_of_the_api) {
  for (std::string key : {"", "svc_sk_wrong", fake_service::secret_key}) {
    auto out = get_with("/api/v1/openapi.json", "X-API-Key", key);
    EXPECT_EQ(out->status(), 200);
    EXPECT_EQ(out->header("Content-Type"), "application/json");
    EXPECT_EQ(out->header("Access-Control-Allow-Origin"), "*");
    EXPECT_FALSE(out->header("X-RateLimit-Limit").empty());
  }
  EXPECT_EQ(actors.admissions, 0) << "it is not counted";
  auto out = send({http_method::head, "/api/v1/openapi.json", {}, ""});
  EXPECT_EQ(out->status(), 405) << "as everywhere below base_url";
  EXPECT_EQ(out->header("Allow"), "GET");
  out = send({http_method::options, "/api/v1/openapi.json", {}, ""});
  EXPECT_EQ(out->status(), 204);
  EXPECT_EQ(out->header("Access-Control-Allow-Methods"), "GET");
}

TEST_F(description, is_not_sent_twice) {
  const std::string path = "/api/v1/openapi.json";
  const auto etag = get(path)->header("ETag");
  ASSERT_GT(etag.size(), 2u);
  EXPECT_NE(get(path)->header("Cache-Control"), "");
  for (const auto& value :
       {etag, "W/" + etag, "\"x\", " + etag, std::string{"*"}}) {
    auto out = get_with(path, "If-None-Match", value);
    EXPECT_EQ(out->status(), 304) << value;
    EXPECT_EQ(out->header("ETag"), etag);
    EXPECT_TRUE(out->last->body.empty());
  }
  EXPECT_EQ(get_with(path, "If-None-Match", "\"other\"")->status(), 200);
  where.short_base = "https://other.example";
  where.listening_on("127.0.0.1:1");
  EXPECT_NE(get(path)->header("ETag"), etag);
}

TEST_F(description, has_a_page_of_its_own_files_only) {
  for (auto target : {"/docs", "/docs/"}) {
    auto out = get(target);
    ASSERT_EQ(out->status(), 200);
    EXPECT_EQ(out->header("Content-Type"), "text/html; charset=utf-8");
    const auto policy = out->header("Content-Security-Policy");
    EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    const auto& body = out->last->body;
    EXPECT_NE(body.find("data-description=\"/api/v1/openapi.json\""),
              std::string::npos);
    EXPECT_EQ(body.find('@'), std::string::npos);
    auto n = 0;
    for (std::string attribute : {"src=\"", "href=\""})
      for (auto pos = body.find(attribute); pos != std::string::npos;
           pos = body.find(attribute, pos + 1)) {
        const auto begin = pos + attribute.size();
        const auto file = body.substr(begin, body.find('"', begin) - begin);
        if (file == "data:,")
          continue;
        ++n;
        EXPECT_TRUE(file.starts_with('/')) << file;
        EXPECT_EQ(get(file)->status(), 200) << file;
      }
    EXPECT_EQ(n, 6);
    EXPECT_NE(body.find("href=\"/app\""), std::string::npos)
      << "the way back to the dashboard";
  }
  EXPECT_EQ(actors.visits, 0) << "it is no short link";
}

TEST_F(description, page_files_have_types_and_tags) {
  ASSERT_EQ(docs_data::files.size(), 7u);
  for (const auto& x : docs_data::files) {
    const std::string path{x.path};
    const auto plain = get(path);
    EXPECT_EQ(plain->status(), 200) << path;
    EXPECT_EQ(plain->header("Content-Type"), x.type);
    EXPECT_EQ(plain->header("Content-Encoding"), "");
    EXPECT_EQ(plain->header("Vary"), "Accept-Encoding");
    EXPECT_EQ(plain->last->body, x.plain);
    EXPECT_FALSE(x.plain.empty());
    const auto small = get_with(path, "Accept-Encoding", "br, gzip");
    EXPECT_EQ(small->header("Content-Encoding"), "gzip");
    EXPECT_TRUE(small->last->body.starts_with("\x1f\x8b"));
    EXPECT_NE(small->header("ETag"), plain->header("ETag"));
    EXPECT_EQ(get_with(path, "If-None-Match", plain->header("ETag"))->status(),
              304);
    EXPECT_EQ(get_with(path, "If-None-Match", small->header("ETag"))->status(),
              200);
  }
  for (auto target :
       {"/docs/x", "/docs/index.html", "/docs/../docs/docs.js", "/docs//"})
    EXPECT_EQ(get(target)->status(), 404) << target;
  EXPECT_EQ(send({http_method::post, "/docs", {}, ""})->status(), 405);
}

TEST(docs, compresses_for_those_who_want_it) {
  for (auto yes : {"gzip", "br, gzip", "gzip;q=0.5", "deflate,gzip ; q=1"})
    EXPECT_TRUE(accepts_gzip(yes)) << yes;
  for (auto no : {"", "br", "gzip;q=0", "gzip; q=0.000", "gzipped", "identity"})
    EXPECT_FALSE(accepts_gzip(no)) << no;
}
