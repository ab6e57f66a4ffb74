#include "tests/api/harness/api_test.hpp"

#include <set>

using namespace turnout::test;
using testing::HasSubstr;

namespace {

class cors_test : public api_test {
protected:
  response preflight(const std::string& path, const std::string& method) {
    return send("OPTIONS", path,
                {{"Origin", "https://app.example"},
                 {"Access-Control-Request-Method", method},
                 {"Access-Control-Request-Headers",
                  "x-api-key,content-type,idempotency-key"}});
  }
};

class methods_test : public api_test {};

/// Divides a list by commas, without spaces, in lower case.
std::set<std::string> items(const std::string& list) {
  std::set<std::string> result;
  std::string item;
  for (auto c : list + ",") {
    if (c == ',') {
      result.insert(item);
      item.clear();
    } else if (c != ' ') {
      item += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return result;
}

void expect_open(const response& x, const std::string& origin = "*") {
  EXPECT_EQ(x.header("access-control-allow-origin"), origin);
  EXPECT_FALSE(x.has("access-control-allow-credentials"));
  auto exposed = items(x.header("access-control-expose-headers"));
  for (auto name : {"x-ratelimit-limit", "x-ratelimit-remaining",
                    "x-ratelimit-reset", "retry-after"})
    EXPECT_TRUE(exposed.count(name)) << name;
}

} // namespace

TEST_F(cors_test, case_78_preflight_needs_no_key) {
  auto one = links_path + "/" + unknown_id;
  std::map<std::string, std::set<std::string>> paths{
    {links_path, {"get", "post"}},        {one, {"get", "put", "delete"}},
    {one + "/variants", {"put"}},         {one + "/promote-winner", {"post"}},
    {one + "/analytics", {"get"}},        {one + "/clicks", {"get"}},
    {one + "/analytics/winner", {"get"}}, {conversions_path, {"post"}}};
  for (auto& [path, methods] : paths) {
    SCOPED_TRACE(path);
    auto answer = preflight(path, "POST");
    EXPECT_EQ(answer.status, 204);
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(answer.header("access-control-allow-origin"), "*");
    EXPECT_FALSE(answer.has("access-control-allow-credentials"));
    auto allowed = items(answer.header("access-control-allow-methods"));
    allowed.erase("options");
    allowed.erase("head");
    EXPECT_EQ(allowed, methods);
    auto headers = items(answer.header("access-control-allow-headers"));
    for (auto name :
         {"x-api-key", "authorization", "content-type", "idempotency-key"})
      EXPECT_TRUE(headers.count(name)) << name;
  }
  expect_error(preflight("/api/v1/public/nothing", "GET"), 404, "Not found");
}

TEST_F(cors_test, case_78_every_answer_can_be_read_by_a_page) {
  auto link = make_split();
  header_list origin{{"Origin", "https://app.example"}};
  auto taken = post(
    links_path,
    {{"name", "x"}, {"slug", text(link, "slug")}, {"variants", two_variants()}},
    origin);
  EXPECT_EQ(taken.status, 409);
  for (auto& answer :
       {get(links_path), get(path_of(link)), taken,
        send("GET", links_path, origin),               // 401
        get(links_path + "/" + unknown_id),            // 404
        send("GET", "/api/v1/public/nothing", origin), // 404
        call("PATCH", links_path, origin),             // 405
        call("POST", links_path, origin, "{"),         // 422
        get(links_path + "?page=x"),                   // 400
        post(links_path, {{"name", "x"}, {"variants", two_variants()}}),
        put(path_of(link), {{"name", "y"}}), del(path_of(link))})
    expect_open(answer);
}

TEST_F(methods_test, known_paths_refuse_other_methods_with_allow) {
  auto link = make_split();
  std::map<std::string, std::set<std::string>> paths{
    {links_path, {"get", "post"}},
    {path_of(link), {"get", "put", "delete"}},
    {path_of(link, "/variants"), {"put"}},
    {path_of(link, "/promote-winner"), {"post"}},
    {path_of(link, "/analytics"), {"get"}},
    {path_of(link, "/clicks"), {"get"}},
    {path_of(link, "/analytics/winner"), {"get"}},
    {conversions_path, {"post"}}};
  for (auto& [path, known] : paths) {
    for (std::string method : {"GET", "POST", "PUT", "DELETE", "PATCH"}) {
      if (known.count(*items(method).begin()))
        continue;
      SCOPED_TRACE(method + " " + path);
      auto answer = send(method, path);
      expect_error(answer, 405);
      auto allowed = items(answer.header("allow"));
      allowed.erase("options");
      allowed.erase("head");
      EXPECT_EQ(allowed, known);
    }
  }
}

TEST_F(methods_test, unknown_api_paths) {
  for (auto path : {"/api/v1", "/api/v1/", "/api/v1/public", "/api/v1/links",
                    "/api/v1/public/links/x/y/z", "/api/v1/public/linksx"}) {
    for (auto method : {"GET", "POST"}) {
      auto answer = call(method, path);
      EXPECT_EQ(answer.status, 404) << path;
      EXPECT_EQ(answer.detail(), "Not found") << path;
    }
  }
  for (auto path : {"/api", "/api/", "/api/v2/public/links"})
    expect_error(get(path), 404);
}

TEST_F(methods_test, api_paths_are_exact) {
  auto link = make_split();
  for (auto& path :
       {links_path + "/", path_of(link, "/"), path_of(link, "/clicks/"),
        "/API/v1/public/links" + std::string{},
        "//api/v1/public/links" + std::string{}}) {
    auto answer = get(path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_FALSE(answer.has("location"));
  }
}

namespace {

class cors_origin_test : public api_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_HTTP_CORS_ORIGIN", "https://app.example"}};
  }
};

} // namespace

TEST_F(cors_origin_test, the_origin_is_a_setting) {
  expect_open(get(links_path), "https://app.example");
  expect_open(send("GET", links_path), "https://app.example");
}
