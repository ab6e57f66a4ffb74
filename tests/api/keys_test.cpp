#include "tests/api/harness/session.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

using namespace turnout::test;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

namespace {

class keys_test : public session_test {
protected:
  void SetUp() override {
    session_test::SetUp();
    token = session();
  }

  json::value make(const std::string& query = "?name=one") {
    auto answer = with_session(token, "POST", keys_path + query);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.json();
  }

  json::array list() {
    auto answer = with_session(token, "GET", keys_path);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json().at("keys").as_array();
  }

  std::string token;
};

class few_bad_keys_test : public keys_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_RATE_LIMIT_BAD_KEYS_PER_MINUTE", "20"}};
  }
};

void expect_no_session(const response& x) {
  EXPECT_EQ(x.status, 401);
  EXPECT_EQ(x.detail(), "Missing or invalid session token.");
  EXPECT_EQ(x.header("www-authenticate"), "Bearer");
  EXPECT_EQ(x.header("access-control-allow-origin"), "*");
  for (auto name :
       {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"})
    EXPECT_TRUE(x.has(name)) << name;
}

} // namespace

TEST_F(keys_test, the_whole_story) {
  auto key = make("?name=Build%20server");
  EXPECT_EQ(key.as_object().size(), 6u);
  EXPECT_THAT(text(key, "id"), is_uuid());
  EXPECT_EQ(text(key, "name"), "Build server");
  EXPECT_THAT(text(key, "key"), MatchesRegex("svc_sk_[A-Za-z0-9]{32}"));
  EXPECT_EQ(text(key, "key_prefix"), text(key, "key").substr(0, 11));
  EXPECT_THAT(text(key, "created_at"), is_timestamp());
  EXPECT_EQ(number(key, "rate_limit"), 1000000);
  auto full = text(key, "key");

  // It works for the next request.
  auto created = call_as(full, "POST", links_path,
                         {{"name", "mine"}, {"variants", two_variants()}});
  EXPECT_EQ(created.status, 201) << created.body;
  EXPECT_EQ(text(created.json(), "user_id"), user_id);

  auto items = list();
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].as_object().size(), 6u);
  EXPECT_EQ(text(items[0], "id"), text(key, "id"));
  EXPECT_EQ(text(items[0], "name"), "Build server");
  EXPECT_EQ(text(items[0], "key_prefix"), text(key, "key_prefix"));
  EXPECT_EQ(text(items[0], "created_at"), text(key, "created_at"));
  EXPECT_THAT(text(items[0], "last_used_at"), is_timestamp());
  EXPECT_EQ(items[0].at("is_active"), true);

  // It is gone for the next request, and stays so.
  auto path = keys_path + "/" + text(key, "id");
  auto revoked = with_session(token, "DELETE", path);
  EXPECT_EQ(revoked.status, 204);
  EXPECT_EQ(revoked.body, "");
  auto refused = call_as(full, "GET", links_path);
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.detail(), "Invalid API key.");
  auto again = with_session(token, "DELETE", path);
  EXPECT_EQ(again.status, 404);
  EXPECT_EQ(again.detail(), "API key not found");
  EXPECT_TRUE(list().empty());
  service->restart();
  EXPECT_EQ(call_as(full, "GET", links_path).status, 401);
  EXPECT_TRUE(list().empty()) << "and the session token outlives a restart";
}

TEST_F(keys_test, kinds_of_keys) {
  auto publishable = make("?name=p&type=publishable");
  EXPECT_THAT(text(publishable, "key"), MatchesRegex("svc_pk_[A-Za-z0-9]{32}"));
  EXPECT_THAT(text(make("?type=secret&name=s"), "key"), HasSubstr("svc_sk_"));
  auto key = text(publishable, "key");
  EXPECT_EQ(call_as(key, "GET", links_path).status, 200);
  EXPECT_EQ(call_as(key, "POST", links_path).status, 403);
  EXPECT_EQ(list().size(), 2u);
}

TEST_F(keys_test, broken_rules) {
  auto refused = [&](const std::string& query, const std::string& detail) {
    SCOPED_TRACE(query);
    expect_error(with_session(token, "POST", keys_path + query), 422, detail);
  };
  refused("", "field required: name");
  refused("?type=secret", "field required: name");
  refused("?name=", "name");
  refused("?name=%20%20", "name");
  refused("?name=" + std::string(101, 'x'), "name");
  refused("?name=a%0Ab", "name");
  refused("?name=%FF", "name");
  refused("?name=a&name=b", "name");
  for (auto type : {"live", "Secret", "", "root"})
    refused("?name=a&type=" + std::string{type}, "type");
  expect_error(with_session(token, "POST", keys_path + "?name=%zz"), 400);
  EXPECT_TRUE(list().empty());
  EXPECT_EQ(text(make("?name=" + std::string(100, 'x')), "name"),
            std::string(100, 'x'));
  EXPECT_EQ(text(make("?name=%20%C3%A9+x%20"), "name"), "\xC3\xA9 x");
}

TEST_F(keys_test, last_used_at_is_null_until_it_is_used) {
  auto key = make();
  ASSERT_EQ(list().size(), 1u);
  EXPECT_TRUE(list()[0].at("last_used_at").is_null());
  EXPECT_EQ(call_as(text(key, "key"), "GET", links_path).status, 200);
  auto used = text(list()[0], "last_used_at");
  EXPECT_GE(used, text(key, "created_at"));
  service->restart();
  EXPECT_EQ(text(list()[0], "last_used_at"), used);
}

TEST_F(keys_test, case_86_keys_of_others_do_not_exist) {
  auto key = make();
  add_user("other@example.com", "another password");
  auto answer = sign_in("other@example.com", "another password");
  ASSERT_EQ(answer.status, 200) << answer.body;
  auto stranger = text(answer.json(), "access_token");
  auto listed = with_session(stranger, "GET", keys_path).json();
  EXPECT_TRUE(listed.at("keys").as_array().empty());
  for (auto& id : {text(key, "id"), unknown_id}) {
    auto refused = with_session(stranger, "DELETE", keys_path + "/" + id);
    EXPECT_EQ(refused.status, 404);
    EXPECT_EQ(refused.detail(), "API key not found");
  }
  EXPECT_EQ(call_as(text(key, "key"), "GET", links_path).status, 200);
}

TEST_F(keys_test, malformed_ids_and_methods) {
  for (auto id : {"x", "0", "01890000-0000-7000-8000-00000000000"})
    expect_error(
      with_session(token, "DELETE", keys_path + "/" + std::string{id}), 400);
  auto answer = with_session(token, "DELETE", keys_path);
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.header("allow"), "GET, POST");
  answer = with_session(token, "POST", keys_path + "/rate-limit");
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.header("allow"), "GET");
  answer = send("OPTIONS", keys_path,
                {{"Origin", "https://app.example"},
                 {"Access-Control-Request-Method", "POST"},
                 {"Access-Control-Request-Headers", "authorization"}});
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.header("access-control-allow-methods"), "GET, POST");
  EXPECT_THAT(answer.header("access-control-allow-headers"),
              HasSubstr("Authorization"));
}

TEST_F(keys_test, a_session_is_needed) {
  for (auto& [method, path] : std::vector<std::pair<std::string, std::string>>{
         {"GET", keys_path},
         {"POST", keys_path + "?name=x"},
         {"POST", keys_path},
         {"DELETE", keys_path + "/" + unknown_id},
         {"DELETE", keys_path + "/x"},
         {"GET", keys_path + "/rate-limit"}}) {
    SCOPED_TRACE(method + " " + path);
    expect_no_session(send(method, path));
    expect_no_session(send(method, path, {{"X-API-Key", secret_key}}));
    for (auto& value :
         {std::string{}, std::string{"Bearer"}, std::string{"Bearer "},
          "Basic " + token, token, "Bearer x" + token, "Bearer " + secret_key,
          "Bearer " + token.substr(0, token.size() - 4)})
      expect_no_session(send(method, path, {{"Authorization", value}}));
    expect_no_session(send(method, path,
                           {{"Authorization", "Bearer " + token},
                            {"Authorization", "Bearer " + token}}));
  }
  EXPECT_EQ(
    send("GET", keys_path, {{"Authorization", "bearer " + token}}).status, 200);
}

TEST_F(keys_test, a_session_is_no_key) {
  auto answer = with_session(token, "GET", links_path);
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.detail(), "Missing API key. Include X-API-Key header.");
}

TEST_F(keys_test, sessions_do_not_count_against_the_limit) {
  auto key = text(make(), "key");
  auto status = [&] {
    auto answer = with_session(token, "GET", keys_path + "/rate-limit");
    EXPECT_EQ(answer.status, 200);
    auto body = answer.json();
    EXPECT_EQ(body.as_object().size(), 3u);
    EXPECT_EQ(answer.header("x-ratelimit-limit"),
              std::to_string(number(body, "limit")));
    EXPECT_EQ(answer.header("x-ratelimit-remaining"),
              std::to_string(number(body, "remaining")));
    EXPECT_THAT(text(body, "reset_at"), is_timestamp());
    return body;
  };
  auto before = number(status(), "remaining");
  EXPECT_EQ(before, number(status(), "limit"));
  list();
  EXPECT_EQ(number(status(), "remaining"), before);
  auto counted = call_as(key, "GET", links_path);
  EXPECT_EQ(number(status(), "remaining"), before - 1);
  // The header of a counted request says the same of the window's end.
  auto answer = with_session(token, "GET", keys_path + "/rate-limit");
  EXPECT_EQ(answer.header("x-ratelimit-reset"),
            counted.header("x-ratelimit-reset"));
}

TEST_F(keys_test, a_used_up_limit_leaves_the_sessions_open) {
  auto key = text(make(), "key");
  ASSERT_EQ(service->run({"user", "rate-limit", user_email, "1"}).status, 0);
  ASSERT_EQ(eventually_equal(int64_t{1},
                             [&] {
                               auto answer = with_session(
                                 token, "GET", keys_path + "/rate-limit");
                               return number(answer.json(), "limit");
                             }),
            1);
  EXPECT_EQ(eventually_equal(
              429, [&] { return call_as(key, "GET", links_path).status; }),
            429);
  auto answer = with_session(token, "GET", keys_path);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("x-ratelimit-remaining"), "0");
  EXPECT_EQ(number(answer.json(), "rate_limit_per_hour"), 1);
}

TEST_F(keys_test, without_api_access_no_key_is_made) {
  auto key = make();
  auto switched = [&](const char* to) {
    auto result = service->run({"user", "api-access", user_email, to});
    EXPECT_EQ(result.status, 0) << result.err;
  };
  switched("off");
  auto create
    = [&] { return with_session(token, "POST", keys_path + "?name=two"); };
  EXPECT_EQ(eventually_equal(403, [&] { return create().status; }), 403);
  EXPECT_EQ(create().detail(), "API access is not enabled for this account.");
  // Before the parameters.
  EXPECT_EQ(with_session(token, "POST", keys_path).status, 403);
  EXPECT_EQ(call_as(text(key, "key"), "GET", links_path).status, 403);
  // The others stay open.
  EXPECT_EQ(with_session(token, "GET", keys_path).status, 200);
  EXPECT_EQ(with_session(token, "GET", keys_path + "/rate-limit").status, 200);
  EXPECT_EQ(
    with_session(token, "DELETE", keys_path + "/" + text(key, "id")).status,
    204);
  switched("on");
  EXPECT_EQ(eventually_equal(201, [&] { return create().status; }), 201);
}

TEST_F(keys_test, case_85_keys_and_secrets_are_kept_nowhere) {
  auto full = text(make(), "key");
  auto answer = sign_in(user_email, user_password).json();
  auto refresh_token = text(answer, "refresh_token");
  EXPECT_EQ(call_as(full, "GET", links_path).status, 200);
  call_as(full + "x", "GET", links_path);
  auto listed = with_session(token, "GET", keys_path).body;
  EXPECT_THAT(listed, Not(HasSubstr(full.substr(7))));
  auto metrics
    = http_client{service->operator_origin()}.send("GET", "/metrics").body;
  EXPECT_EQ(service->stop(), 0);
  std::vector<std::string> places{metrics, service->errors(),
                                  service->output()};
  for (auto& entry :
       std::filesystem::recursive_directory_iterator(service->data_dir()))
    if (entry.is_regular_file())
      places.push_back(read_file(entry.path()));
  EXPECT_GT(places.size(), 4u);
  for (auto& place : places)
    for (auto& secret :
         {full.substr(7), refresh_token, user_password, token.substr(0, 60)})
      EXPECT_EQ(place.find(secret), std::string::npos);
  namespace fs = std::filesystem;
  auto mode = fs::status(service->data_dir() / "session_secret").permissions();
  EXPECT_EQ(mode, fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(keys_test, keys_of_the_command_line_are_listed) {
  auto made = service->make_key(user_email, "live", "from the shell");
  EXPECT_EQ(eventually_equal(
              200, [&] { return call_as(made, "GET", links_path).status; }),
            200);
  auto items = list();
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(text(items[0], "name"), "from the shell");
  EXPECT_EQ(text(items[0], "key_prefix"), made.substr(0, 13));
}

TEST_F(few_bad_keys_test, invalid_sessions_are_limited_by_address) {
  auto limited = [&](const std::string& address) {
    return send(
      "GET", keys_path,
      {{"Authorization", "Bearer a.b.c"}, {"X-Forwarded-For", address}});
  };
  auto first = limited("203.0.113.7");
  EXPECT_EQ(first.status, 401);
  // The window is a minute; beyond its border counting begins anew.
  EXPECT_TRUE(eventually([&] { return limited("203.0.113.7").status == 429; }));
  auto answer = limited("203.0.113.7");
  EXPECT_EQ(answer.has("retry-after"), answer.status == 429);
  EXPECT_EQ(limited("203.0.113.8").status, 401);
  EXPECT_EQ(send("GET", keys_path,
                 {{"Authorization", "Bearer " + token},
                  {"X-Forwarded-For", "203.0.113.7"}})
              .status,
            200)
    << "who has a session is not kept out by others";
}
