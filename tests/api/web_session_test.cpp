#include "tests/api/harness/session.hpp"
#include "tests/identity/signer.hpp"

#include <chrono>

using namespace turnout::test;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

namespace {

const std::string no_session = "Missing or invalid session token.";

/// What a Cookie header sends back for a Set-Cookie header.
std::string cookie_of(const response& x) {
  auto text = x.header("set-cookie");
  return text.substr(0, text.find(';'));
}

header_list page(const std::string& cookie) {
  return {{"Cookie", cookie}, {"X-Requested-With", "turnout"}};
}

class web_session_test : public session_test {
protected:
  response sign_in_page(const header_list& headers = {}) {
    return send("POST", token_path + "?grant_type=password&cookie=true",
                headers,
                json::serialize(json::object{{"email", user_email},
                                             {"password", user_password}}));
  }

  response refresh_page(const std::string& token) {
    return send("POST", token_path + "?grant_type=refresh_token&cookie=true",
                {}, json::serialize(json::object{{"refresh_token", token}}));
  }

  int status(const std::string& cookie) {
    return send("GET", links_path, page(cookie)).status;
  }
};

class limited_session_test : public web_session_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_RATE_LIMIT_PER_HOUR", "2"}};
  }
};

class https_session_test : public web_session_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_HTTP_BASE_URL", "https://t.example/api/v1"}};
  }
};

class external_session_test : public session_test {
protected:
  static inline const std::string secret
    = "a secret that only the identity provider and we know";
  static inline const std::string subject
    = "0b8e1a52-7a0c-4a54-9d5e-1c3c1f0c7b11";

  environment settings() const override {
    return {{"TURNOUT_AUTH_JWT_SECRET", secret},
            {"TURNOUT_AUTH_REQUIRED_CLAIM", "api_access"},
            {"TURNOUT_AUTH_SIGN_IN_URL", "https://id.example/v2"}};
  }

  std::string token(int seconds, bool api_access = true) {
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
    return sign_with_secret(secret, {{"sub", subject},
                                     {"email", "ext@example.com"},
                                     {"api_access", api_access},
                                     {"exp", now + seconds}});
  }

  response exchange(const std::string& token) {
    return send("POST", "/auth/v1/session",
                {{"Authorization", "Bearer " + token}});
  }
};

} // namespace

TEST_F(web_session_test, the_whole_story) {
  auto answer = sign_in_page();
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.header("set-cookie"),
              MatchesRegex("svc_session=[0-9a-f]{64}; Max-Age=2592000; Path=/; "
                           "HttpOnly; SameSite=Strict"));
  const auto mine = page(cookie_of(answer));
  auto who = send("GET", "/auth/v1/user", mine);
  ASSERT_EQ(who.status, 200) << who.body;
  EXPECT_EQ(text(who.json(), "id"), user_id);
  EXPECT_EQ(text(who.json(), "email"), user_email);
  auto made = send(
    "POST", links_path, mine,
    json::serialize(json::object{{"name", "x"}, {"variants", two_variants()}}));
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(text(made.json(), "user_id"), user_id);
  auto path = path_of(made.json());
  for (auto rest :
       {"", "/analytics", "/analytics/winner", "/clicks", "/clicks.csv", "/qr"})
    EXPECT_EQ(send("GET", path + rest, mine).status, 200) << rest;
  EXPECT_EQ(send("PUT", path, mine, R"({"name":"y"})").status, 200);
  auto key = send("POST", keys_path + "?name=mine", mine);
  ASSERT_EQ(key.status, 201) << key.body;
  EXPECT_EQ(call_as(text(key.json(), "key"), "GET", links_path).status, 200);
  EXPECT_EQ(send("GET", keys_path, mine).json().at("keys").as_array().size(),
            1u)
    << "the session is no key";
  EXPECT_EQ(
    send("DELETE", keys_path + "/" + text(key.json(), "id"), mine).status, 204);
  EXPECT_EQ(send("DELETE", path, mine).status, 204);
  // Others' links are as if they were not there.
  EXPECT_EQ(send("GET", path_of(make_split()), mine).detail(),
            "Link not found");
  service->restart();
  EXPECT_EQ(send("GET", links_path, mine).status, 200);
  answer = send("POST", "/auth/v1/logout", mine);
  EXPECT_EQ(answer.status, 204);
  EXPECT_THAT(answer.header("set-cookie"),
              HasSubstr("svc_session=; Max-Age=0"));
  for (auto i = 0; i < 10; ++i) {
    http_client client{service->origin()};
    auto refused = client.send("GET", links_path, mine);
    EXPECT_EQ(refused.status, 401) << "whichever thread answers";
    EXPECT_EQ(refused.detail(), no_session);
  }
  expect_sign_in_error(send("GET", "/auth/v1/user", mine), 401,
                       "invalid_token");
  EXPECT_EQ(send("POST", "/auth/v1/logout", mine).status, 204);
  service->restart();
  EXPECT_EQ(send("GET", links_path, mine).status, 401);
}

TEST_F(web_session_test, signing_out_ends_what_came_from_the_sign_in) {
  auto answer = sign_in_page();
  auto cookie = cookie_of(answer);
  auto refreshed = refresh_page(text(answer.json(), "refresh_token"));
  ASSERT_EQ(refreshed.status, 200) << refreshed.body;
  auto second = cookie_of(refreshed);
  EXPECT_NE(second, cookie);
  auto other = sign_in_page();
  for (const auto& x : {cookie, second, cookie_of(other)})
    EXPECT_EQ(status(x), 200);
  EXPECT_EQ(send("POST", "/auth/v1/logout", page(second)).status, 204);
  EXPECT_EQ(status(cookie), 401);
  EXPECT_EQ(status(second), 401);
  expect_sign_in_error(refresh_page(text(refreshed.json(), "refresh_token")),
                       400, "invalid_grant");
  EXPECT_EQ(status(cookie_of(other)), 200) << "another sign-in";
  EXPECT_EQ(refresh_page(text(other.json(), "refresh_token")).status, 200);
}

TEST_F(web_session_test, a_stolen_refresh_token_ends_the_sessions) {
  auto answer = sign_in_page();
  auto token = text(answer.json(), "refresh_token");
  ASSERT_EQ(refresh_page(token).status, 200);
  EXPECT_EQ(refresh_page(token).status, 400);
  EXPECT_EQ(eventually_equal(401, [&] { return status(cookie_of(answer)); }),
            401);
}

TEST_F(web_session_test, forged_requests_change_nothing) {
  auto cookie = cookie_of(sign_in_page());
  auto made = send(
    "POST", links_path, page(cookie),
    json::serialize(json::object{{"name", "x"}, {"variants", two_variants()}}));
  ASSERT_EQ(made.status, 201) << made.body;
  auto path = path_of(made.json());
  const auto before = send("GET", path, page(cookie)).body;
  // What a form, an image or a fetch of another page can send along, were it
  // not for SameSite.
  for (auto type : {"application/x-www-form-urlencoded", "multipart/form-data",
                    "text/plain", "application/json"}) {
    header_list forged{{"Cookie", cookie},
                       {"Content-Type", type},
                       {"Origin", "https://evil.example"},
                       {"Referer", "https://evil.example/"}};
    for (auto [method, target, body] :
         {std::tuple{"POST", links_path, R"({"name":"forged"})"},
          std::tuple{"PUT", path, R"({"name":"forged"})"},
          std::tuple{"DELETE", path, ""},
          std::tuple{"POST", path + "/promote-winner", "{}"},
          std::tuple{"POST", conversions_path, "{}"},
          std::tuple{"POST", keys_path + "?name=forged", ""},
          std::tuple{"POST", std::string{"/auth/v1/logout"}, ""},
          std::tuple{"POST", std::string{"/auth/v1/session"}, ""}})
      EXPECT_EQ(send(method, target, forged, body).status, 401)
        << method << ' ' << target;
    forged.emplace_back("X-Requested-With", "XMLHttpRequest");
    EXPECT_EQ(send("DELETE", path, forged).status, 401);
  }
  EXPECT_EQ(send("GET", path, page(cookie)).body, before);
  EXPECT_EQ(number(send("GET", links_path, page(cookie)).json(), "total"), 1);
  EXPECT_TRUE(
    send("GET", keys_path, page(cookie)).json().at("keys").as_array().empty());
  // Nor is anybody signed in by a form.
  for (auto type : {"text/plain", "application/x-www-form-urlencoded",
                    "multipart/form-data"}) {
    auto answer = sign_in_page({{"Content-Type", type}});
    EXPECT_EQ(answer.status, 415) << type;
    EXPECT_FALSE(answer.has("set-cookie"));
  }
}

TEST_F(web_session_test, other_origins_are_told_nothing) {
  auto cookie = cookie_of(sign_in_page());
  auto mine = page(cookie);
  mine.emplace_back("Origin", "https://evil.example");
  auto answer = send("GET", links_path, mine);
  EXPECT_FALSE(answer.has("access-control-allow-credentials"));
  answer = send("OPTIONS", links_path,
                {{"Origin", "https://evil.example"},
                 {"Access-Control-Request-Method", "DELETE"},
                 {"Access-Control-Request-Headers", "x-requested-with"}});
  EXPECT_EQ(answer.status, 204);
  EXPECT_THAT(answer.header("access-control-allow-headers"),
              Not(HasSubstr("X-Requested-With")));
  EXPECT_FALSE(answer.has("access-control-allow-credentials"));
}

TEST_F(web_session_test, keys_and_tokens_win_over_the_cookie) {
  auto mine = page(cookie_of(sign_in_page()));
  auto with_key = mine;
  with_key.emplace_back("X-API-Key",
                        service->make_key(owner_email, "publishable"));
  auto made = make_split();
  EXPECT_EQ(eventually_equal(
              200, [&] { return send("GET", path_of(made), with_key).status; }),
            200)
    << "the key's account, not that of the cookie";
  EXPECT_EQ(send("DELETE", path_of(made), with_key).status, 403);
  with_key.back().second = "svc_sk_" + std::string(32, 'x');
  EXPECT_EQ(send("GET", links_path, with_key).detail(), "Invalid API key.");
  auto with_token = mine;
  with_token.emplace_back("Authorization", "Bearer junk");
  EXPECT_EQ(send("GET", keys_path, with_token).status, 401);
}

TEST_F(web_session_test, access_to_the_api_can_be_taken_away) {
  auto cookie = cookie_of(sign_in_page());
  EXPECT_EQ(status(cookie), 200);
  ASSERT_EQ(service->run({"user", "api-access", user_email, "off"}).status, 0);
  EXPECT_EQ(eventually_equal(403, [&] { return status(cookie); }), 403);
  EXPECT_EQ(send("GET", keys_path, page(cookie)).status, 200);
}

TEST_F(web_session_test, the_value_is_kept_nowhere) {
  auto cookie = cookie_of(sign_in_page());
  const auto value = cookie.substr(cookie.find('=') + 1);
  EXPECT_EQ(status(cookie), 200);
  EXPECT_EQ(status("svc_session=junk"), 401);
  service->stop();
  EXPECT_THAT(service->output(), Not(HasSubstr(value)));
  EXPECT_THAT(service->errors(), Not(HasSubstr(value)));
  for (const auto& x :
       std::filesystem::recursive_directory_iterator{service->data_dir()}) {
    if (!x.is_regular_file())
      continue;
    EXPECT_EQ(read_file(x.path()).find(value), std::string::npos) << x;
  }
  service->start();
}

TEST_F(web_session_test, other_nodes_know_it_at_once_and_forget_it_soon) {
  if (storage_plugin() != "postgresql")
    GTEST_SKIP() << "a store of one node";
  temporary_directory dir;
  process second{{binary(), "serve", "--listen", "127.0.0.1:0",
                  "--operator-listen", "127.0.0.1:0", "--data-dir",
                  dir.path() / "data", "--storage", "postgresql", "--dsn",
                  service->database().dsn()},
                 {},
                 dir.path() / "out",
                 dir.path() / "err"};
  std::string origin;
  ASSERT_TRUE(eventually([&] {
    const auto out = read_file(dir.path() / "out");
    const std::string mark = "listening public=";
    const auto pos = out.find(mark);
    const auto end = out.find(" operator", pos);
    if (pos == std::string::npos || end == std::string::npos)
      return false;
    origin = out.substr(pos + mark.size(), end - pos - mark.size());
    return true;
  }))
    << read_file(dir.path() / "err");
  http_client other{origin};
  for (auto i = 0; i < 5; ++i) {
    auto cookie = cookie_of(sign_in_page());
    EXPECT_EQ(other.send("GET", links_path, page(cookie)).status, 200)
      << "the page may be answered by any node";
    EXPECT_EQ(send("POST", "/auth/v1/logout", page(cookie)).status, 204);
    EXPECT_EQ(
      eventually_equal(
        401,
        [&] { return other.send("GET", links_path, page(cookie)).status; }),
      401);
  }
}

TEST_F(limited_session_test, looks_are_not_counted_and_changes_are) {
  auto mine = page(cookie_of(sign_in_page()));
  for (auto i = 0; i < 5; ++i) {
    auto answer = send("GET", links_path, mine);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("x-ratelimit-remaining"), "2");
  }
  auto create = [&] {
    return send("POST", links_path, mine,
                json::serialize(
                  json::object{{"name", "x"}, {"variants", two_variants()}}));
  };
  EXPECT_EQ(create().status, 201);
  EXPECT_EQ(create().header("x-ratelimit-remaining"), "0");
  auto refused = create();
  EXPECT_EQ(refused.status, 429);
  EXPECT_TRUE(refused.has("retry-after"));
  auto key = service->make_key(user_email);
  EXPECT_EQ(eventually_equal(
              429, [&] { return call_as(key, "GET", links_path).status; }),
            429)
    << "the keys share the budget";
  EXPECT_EQ(send("GET", links_path, mine).status, 200);
}

TEST_F(https_session_test, the_cookie_is_for_this_host_only) {
  auto answer = sign_in_page();
  EXPECT_THAT(answer.header("set-cookie"),
              MatchesRegex("__Host-svc_session=[0-9a-f]{64}; Max-Age=2592000; "
                           "Path=/; HttpOnly; SameSite=Strict; Secure"));
  EXPECT_EQ(status(cookie_of(answer)), 200);
  EXPECT_EQ(status(cookie_of(answer).substr(7)), 401);
}

TEST_F(external_session_test, a_token_of_the_provider_is_exchanged) {
  auto answer = exchange(token(600));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(text(answer.json().at("user"), "email"), "ext@example.com");
  EXPECT_THAT(answer.header("set-cookie"),
              MatchesRegex("svc_session=[0-9a-f]{64}; Max-Age=(600|59[0-9]); "
                           "Path=/; HttpOnly; SameSite=Strict"));
  const auto mine = page(cookie_of(answer));
  auto made = send(
    "POST", links_path, mine,
    json::serialize(json::object{{"name", "x"}, {"variants", two_variants()}}));
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(text(made.json(), "user_id"), subject);
  EXPECT_EQ(send("POST", "/auth/v1/logout", mine).status, 204);
  EXPECT_EQ(send("GET", links_path, mine).status, 401);
  // It does not outlive the token.
  answer = exchange(token(2));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(
    eventually_equal(
      401,
      [&] { return send("GET", links_path, page(cookie_of(answer))).status; }),
    401);
  expect_sign_in_error(exchange(token(-120)), 401, "invalid_token");
  expect_sign_in_error(exchange("junk"), 401, "invalid_token");
  expect_sign_in_error(exchange(token(600, false)), 403, "access_denied");
  EXPECT_THAT(send("GET", "/app").header("content-security-policy"),
              HasSubstr("connect-src 'self' https://id.example;"));
}
