#include "tests/api/harness/api_test.hpp"

using namespace turnout::test;

namespace {

/// One operation of the API.
struct operation {
  std::string method;
  std::string path;
  json::value body;
  bool needs_secret;
};

class authentication_test : public api_test {
protected:
  void SetUp() override {
    api_test::SetUp();
    link = make_split();
    publishable_key = service->make_key(owner_email, "publishable");
    service->add_user("other@example.com");
    foreign_key = service->make_key("other@example.com");
    for (auto& key : {publishable_key, foreign_key})
      ASSERT_TRUE(eventually(
        [&] { return call_as(key, "GET", links_path).status == 200; }));
  }

  /// Every operation on `id`, reading ones first.
  std::vector<operation> operations(const std::string& id) {
    auto path = links_path + "/" + id;
    json::value create{{"name", "x"}, {"variants", two_variants()}};
    auto variants = json::value(two_variants());
    return {{"GET", links_path, {}, false},
            {"GET", path, {}, false},
            {"GET", path + "/analytics", {}, false},
            {"GET", path + "/clicks", {}, false},
            {"GET", path + "/analytics/winner", {}, false},
            {"POST", links_path, create, true},
            {"PUT", path, {{"name", "y"}}, true},
            {"PUT", path + "/variants", variants, true},
            {"POST",
             path + "/promote-winner",
             {{"variant_id", variant_id(link, "a")}},
             true},
            {"POST", conversions_path, {{"link_id", id}}, true},
            {"DELETE", path, {}, true}};
  }

  json::value link;
  std::string publishable_key;
  std::string foreign_key;
};

void expect_missing(const response& x) {
  EXPECT_EQ(x.status, 401);
  EXPECT_EQ(x.detail(), "Missing API key. Include X-API-Key header.");
}

void expect_invalid(const response& x) {
  EXPECT_EQ(x.status, 401) << x.body;
  EXPECT_EQ(x.detail(), "Invalid API key.");
}

} // namespace

TEST_F(authentication_test, every_operation_needs_a_key) {
  for (auto& x : operations(text(link, "id"))) {
    SCOPED_TRACE(x.method + " " + x.path);
    auto body = x.body.is_null() ? std::string{} : json::serialize(x.body);
    expect_missing(send(x.method, x.path, {}, body));
    expect_missing(send(x.method, x.path, {{"X-API-Key", ""}}, body));
    expect_invalid(send(
      x.method, x.path,
      {{"X-API-Key", std::string{"svc_sk_"} + std::string(32, 'x')}}, body));
  }
  EXPECT_EQ(get(path_of(link)).status, 200);
}

TEST_F(authentication_test, case_77_keys_that_are_none) {
  auto cut = secret_key.substr(0, secret_key.size() - 1);
  auto swapped = secret_key;
  swapped.replace(0, 7, "svc_pk_");
  auto upper = secret_key;
  upper[0] = 'S';
  for (auto& key :
       {std::string{"0"}, std::string{"true"}, cut, secret_key + "x", swapped,
        upper, std::string{"svc_live_"} + std::string(32, 'a'),
        std::string(20000, 'k'), std::string{"' OR 1=1 --"},
        secret_key.substr(7)})
    expect_invalid(call_as(key, "GET", links_path));
}

TEST_F(authentication_test, case_77_a_header_twice) {
  auto answer
    = send("GET", links_path, {{"X-API-Key", "junk"}, {"X-API-Key", "more"}});
  expect_invalid(answer);
}

TEST_F(authentication_test, a_session_token_is_no_api_key) {
  expect_missing(
    send("GET", links_path, {{"Authorization", "Bearer " + secret_key}}));
}

TEST_F(authentication_test, case_86_a_publishable_key_reads) {
  for (auto& x : operations(text(link, "id"))) {
    SCOPED_TRACE(x.method + " " + x.path);
    auto answer = call_as(publishable_key, x.method, x.path, x.body);
    if (x.needs_secret) {
      EXPECT_EQ(answer.status, 403);
      EXPECT_EQ(answer.detail(), "This operation requires a secret API key.");
    } else {
      EXPECT_EQ(answer.status, 200) << answer.body;
    }
  }
  EXPECT_EQ(total_links(), 1);
  EXPECT_EQ(text(get(path_of(link)).json(), "name"), "split");
}

TEST_F(authentication_test, case_86_the_kind_of_key_comes_before_the_body) {
  for (auto body : {"{", "[]", "{}"})
    EXPECT_EQ(
      send("POST", links_path, {{"X-API-Key", publishable_key}}, body).status,
      403);
}

TEST_F(authentication_test, case_86_links_of_others_are_unknown) {
  for (auto& id : {text(link, "id"), unknown_id}) {
    for (auto& x : operations(id)) {
      if (x.path == links_path)
        continue;
      SCOPED_TRACE(x.method + " " + x.path);
      auto answer = call_as(foreign_key, x.method, x.path, x.body);
      EXPECT_EQ(answer.status, 404);
      EXPECT_EQ(answer.detail(), "Link not found");
    }
  }
  auto list = call_as(foreign_key, "GET", links_path).json();
  EXPECT_EQ(number(list, "total"), 0);
  EXPECT_TRUE(list.at("items").as_array().empty());
  EXPECT_EQ(get(path_of(link)).status, 200);
}

TEST_F(authentication_test, a_live_key_is_a_secret_key) {
  auto key = service->make_key(owner_email, "live");
  EXPECT_EQ(key.substr(0, 9), "svc_live_");
  ASSERT_TRUE(
    eventually([&] { return call_as(key, "GET", links_path).status == 200; }));
  EXPECT_EQ(call_as(key, "POST", links_path,
                    {{"name", "x"}, {"variants", two_variants()}})
              .status,
            201);
}

TEST_F(authentication_test, an_account_without_api_access) {
  auto switched = [&](const char* to) {
    auto result = service->run({"user", "api-access", owner_email, to});
    EXPECT_EQ(result.status, 0) << result.err;
  };
  switched("off");
  EXPECT_EQ(eventually_equal(403, [&] { return get(links_path).status; }), 403);
  auto answer = get(links_path);
  EXPECT_EQ(answer.detail(), "API access is not enabled for this account.");
  expect_error(post(links_path, {{"name", "x"}, {"variants", two_variants()}}),
               403, "API access is not enabled");
  // Links go on, other accounts too.
  EXPECT_EQ(visit(text(link, "slug")).status, 302);
  EXPECT_EQ(call_as(foreign_key, "GET", links_path).status, 200);
  switched("on");
  EXPECT_EQ(eventually_equal(200, [&] { return get(links_path).status; }), 200);
}

TEST_F(authentication_test, order_of_checks) {
  // The path comes first, without a key.
  expect_error(send("GET", "/api/v1/public/nothing"), 404);
  expect_error(send("PATCH", links_path), 405);
  // Then the key, before anything of the request.
  expect_missing(send("POST", links_path, {}, "{"));
  expect_missing(send("GET", links_path + "?page=abc"));
  expect_missing(send("GET", links_path + "/not-a-uuid"));
  // Then the kind of key, before the body.
  expect_error(send("POST", links_path, {{"X-API-Key", publishable_key}}, "{"),
               403);
  // Then JSON, then fields, then rules.
  auto broken = call("POST", links_path, {}, "{");
  EXPECT_EQ(broken.status, 422);
  EXPECT_EQ(broken.detail(), "Invalid JSON in request body");
  expect_error(call("POST", links_path, {}, R"({"slug":"/"})"), 422,
               "field required: name");
}
