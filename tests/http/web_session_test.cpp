#include "tests/http/fixture.hpp"

using namespace turnout;
using namespace turnout::test;

namespace {

const std::string token_path = "/auth/v1/token?grant_type=password&cookie=true";

const std::string credentials
  = R"({"email":"owner@example.com","password":"right"})";

const std::string no_session = "Missing or invalid session token.";

using header_list = std::vector<std::pair<std::string, std::string>>;

class web_session_calls : public http_test {
public:
  /// Signs in and returns what a Cookie header sends back.
  std::string sign_in() {
    auto out = send({http_method::post, token_path, {}, credentials});
    EXPECT_EQ(out->status(), 200);
    return cookie_of(*out);
  }

  static std::string cookie_of(const outcome& x) {
    const auto text = x.header("Set-Cookie");
    return text.substr(0, text.find(';'));
  }

  static header_list page(const std::string& cookie) {
    return {{"Cookie", cookie}, {"X-Requested-With", "turnout"}};
  }

  std::shared_ptr<outcome> with(http_method method, const std::string& path,
                                header_list headers, std::string body = "") {
    return send({method, path, std::move(headers), std::move(body)});
  }
};

} // namespace

TEST_F(web_session_calls, the_cookie_is_set_when_asked_for) {
  auto out = send({http_method::post, token_path, {}, credentials});
  ASSERT_EQ(out->status(), 200);
  EXPECT_EQ(out->header("Set-Cookie"),
            "__Host-svc_session=cookie-1; Max-Age=3600; Path=/; HttpOnly; "
            "SameSite=Strict; Secure");
  EXPECT_EQ(out->json().at("refresh_token").as_string(), "refresh-1");
  EXPECT_EQ(out->header("Access-Control-Allow-Credentials"), "");
  for (std::string query : {"", "&cookie=false"}) {
    out = send({http_method::post,
                "/auth/v1/token?grant_type=password" + query,
                {},
                credentials});
    EXPECT_EQ(out->status(), 200);
    EXPECT_EQ(out->header("Set-Cookie"), "") << query;
  }
  out = send({http_method::post,
              "/auth/v1/token?grant_type=refresh_token&cookie=true",
              {},
              R"({"refresh_token":"refresh-1"})"});
  EXPECT_EQ(cookie_of(*out), "__Host-svc_session=cookie-2");
  for (std::string value : {"", "1", "TRUE", "yes"})
    EXPECT_EQ(send({http_method::post,
                    "/auth/v1/token?grant_type=password&cookie=" + value,
                    {},
                    credentials})
                ->status(),
              422)
      << value;
  EXPECT_EQ(actors.begun_sessions, 2);
}

TEST_F(web_session_calls, wrong_passwords_and_forms_get_no_cookie) {
  auto out = send({http_method::post,
                   token_path,
                   {},
                   R"({"email":"owner@example.com","password":"wrong"})"});
  EXPECT_EQ(out->status(), 400);
  EXPECT_EQ(out->header("Set-Cookie"), "");
  // Forms of other sites can send these, and JSON in them.
  for (std::string type : {"text/plain", "text/plain; charset=utf-8",
                           "multipart/form-data; boundary=x",
                           "application/x-www-form-urlencoded"}) {
    out = with(http_method::post, token_path, {{"Content-Type", type}},
               credentials);
    EXPECT_EQ(out->status(), 415) << type;
    EXPECT_EQ(out->header("Set-Cookie"), "");
  }
  EXPECT_EQ(actors.begun_sessions, 0);
}

TEST_F(web_session_calls, without_https_the_cookie_is_not_secure) {
  where.base_url = "http://127.0.0.1:8080/api/v1";
  where.listening_on("127.0.0.1:8080");
  auto out = send({http_method::post, token_path, {}, credentials});
  EXPECT_EQ(out->header("Set-Cookie"),
            "svc_session=cookie-1; Max-Age=3600; Path=/; HttpOnly; "
            "SameSite=Strict");
}

TEST_F(web_session_calls, it_counts_as_secret_key_and_session) {
  const auto x = add_link();
  const auto cookie = sign_in();
  const auto path = "/api/v1/public/links/" + x.id.str();
  EXPECT_EQ(with(http_method::get, path, page(cookie))->status(), 200);
  EXPECT_EQ(
    with(http_method::put, path, page(cookie), R"({"name":"New"})")->status(),
    200);
  EXPECT_EQ(actors.links.at(x.id).name, "New");
  EXPECT_EQ(with(http_method::del, path, page(cookie))->status(), 204);
  const std::string keys = "/api/v1/public/keys";
  EXPECT_EQ(with(http_method::get, keys, page(cookie))->status(), 200);
  EXPECT_EQ(
    with(http_method::post, keys + "?name=Mine", page(cookie))->status(), 201);
  EXPECT_EQ(actors.created_keys.at(0).account_id, actors.owner);
  EXPECT_EQ(
    with(http_method::get, keys + "/rate-limit", page(cookie))->status(), 200);
  // Among others, and whatever stands around it.
  EXPECT_EQ(with(http_method::get, keys,
                 {{"Cookie", "a=b;" + cookie + " ; c=d"},
                  {"X-Requested-With", " turnout "}})
              ->status(),
            200);
}

TEST_F(web_session_calls, changes_are_counted_and_looks_are_not) {
  const auto x = add_link();
  const auto cookie = sign_in();
  const auto path = "/api/v1/public/links/" + x.id.str();
  auto out = with(http_method::get, path, page(cookie));
  EXPECT_EQ(actors.admissions, 0);
  EXPECT_EQ(out->header("X-RateLimit-Remaining"), "999");
  with(http_method::put, path, page(cookie), "{}");
  EXPECT_EQ(actors.admissions, 1);
  actors.rate_now.allowed = false;
  actors.rate_now.remaining = 0;
  EXPECT_EQ(with(http_method::put, path, page(cookie), "{}")->status(), 429);
  EXPECT_EQ(with(http_method::get, path, page(cookie))->status(), 200);
}

TEST_F(web_session_calls, without_the_header_the_cookie_is_ignored) {
  const auto x = add_link();
  const auto cookie = sign_in();
  const auto path = "/api/v1/public/links/" + x.id.str();
  for (header_list headers :
       {header_list{{"Cookie", cookie}},
        header_list{{"Cookie", cookie}, {"X-Requested-With", ""}},
        header_list{{"Cookie", cookie}, {"X-Requested-With", "Turnout"}},
        header_list{{"Cookie", cookie},
                    {"X-Requested-With", "XMLHttpRequest"}}}) {
    auto out = with(http_method::del, path, headers);
    EXPECT_EQ(out->status(), 401);
    EXPECT_EQ(out->detail(), "Missing API key. Include X-API-Key header.");
    EXPECT_EQ(
      with(http_method::post, "/api/v1/public/keys?name=x", headers)->detail(),
      no_session);
    EXPECT_EQ(with(http_method::get, "/auth/v1/user", headers)->status(), 401);
    out = with(http_method::post, "/auth/v1/logout", headers);
    EXPECT_EQ(out->status(), 401);
    EXPECT_EQ(out->header("Set-Cookie"), "");
  }
  EXPECT_FALSE(actors.links.at(x.id).is_deleted);
  EXPECT_TRUE(actors.created_keys.empty());
  EXPECT_EQ(with(http_method::get, path, page(cookie))->status(), 200)
    << "nobody was signed out";
}

TEST_F(web_session_calls, keys_and_tokens_win) {
  const auto x = add_link();
  const auto path = "/api/v1/public/links/" + x.id.str();
  auto headers = page(sign_in());
  headers.emplace_back("X-API-Key", fake_service::publishable_key);
  EXPECT_EQ(with(http_method::get, path, headers)->status(), 200);
  EXPECT_EQ(with(http_method::del, path, headers)->status(), 403);
  headers.back().second = "svc_sk_wrong";
  EXPECT_EQ(with(http_method::get, path, headers)->detail(),
            "Invalid API key.");
  headers.back().second = "";
  EXPECT_EQ(with(http_method::get, path, headers)->status(), 401);
  headers.back() = {"Authorization", "Bearer wrong"};
  EXPECT_EQ(with(http_method::get, "/api/v1/public/keys", headers)->status(),
            401);
  EXPECT_EQ(with(http_method::get, path, headers)->status(), 401);
}

TEST_F(web_session_calls, wrong_cookies_are_limited) {
  auto ask = [&] {
    return with(http_method::get, "/api/v1/public/links",
                page("__Host-svc_session=wrong"));
  };
  auto out = ask();
  EXPECT_EQ(out->status(), 401);
  EXPECT_EQ(out->detail(), no_session);
  EXPECT_EQ(out->header("WWW-Authenticate"), "Bearer");
  for (int i = 1; i < 300; ++i)
    ask();
  EXPECT_EQ(ask()->status(), 429);
  EXPECT_FALSE(actors.waits_allowed.back())
    << "the store is not asked for more";
  // The name without https is another cookie.
  EXPECT_EQ(
    with(http_method::get, "/api/v1/public/links", page("svc_session=wrong"))
      ->detail(),
    "Rate limit exceeded. Please try again later.");
}

TEST_F(web_session_calls, access_to_the_api_is_needed) {
  session x;
  x.who.account_id = actors.owner;
  x.who.api_access = false;
  actors.web_sessions["closed"] = x;
  const auto mine = page("__Host-svc_session=closed");
  for (auto method : {http_method::get, http_method::post})
    EXPECT_EQ(with(method, "/api/v1/public/links", mine)->detail(),
              "API access is not enabled for this account.");
  EXPECT_EQ(with(http_method::get, "/api/v1/public/keys", mine)->status(), 200);
}

TEST_F(web_session_calls, user_tells_who_is_signed_in) {
  const std::string expected
    = R"({"id":"00000000-0000-7000-8000-000000000001",)"
      R"("email":"owner@example.com"})";
  auto out = with(http_method::get, "/auth/v1/user", page(sign_in()));
  EXPECT_EQ(out->status(), 200);
  EXPECT_EQ(out->last->body, expected);
  EXPECT_EQ(out->header("Cache-Control"), "no-store");
  out = with(http_method::get, "/auth/v1/user",
             {{"Authorization", "Bearer token"}});
  EXPECT_EQ(out->last->body, expected);
  out = get("/auth/v1/user");
  EXPECT_EQ(out->status(), 401);
  EXPECT_EQ(out->json().at("error").as_string(), "invalid_token");
  EXPECT_EQ(out->json().at("detail").as_string(), no_session);
}

TEST_F(web_session_calls, a_session_token_is_exchanged) {
  where.has_sign_in = false;
  auto out = with(http_method::post, "/auth/v1/session",
                  {{"Authorization", "Bearer token"}});
  ASSERT_EQ(out->status(), 200);
  EXPECT_EQ(out->json().at("user").at("email").as_string(),
            "owner@example.com");
  EXPECT_EQ(actors.last_family, uuid{});
  EXPECT_EQ(with(http_method::get, "/api/v1/public/keys", page(cookie_of(*out)))
              ->status(),
            200);
  for (header_list headers :
       {header_list{}, header_list{{"Authorization", "Bearer wrong"}},
        page(cookie_of(*out))}) {
    auto refused = with(http_method::post, "/auth/v1/session", headers);
    EXPECT_EQ(refused->status(), 401);
    EXPECT_EQ(refused->header("Set-Cookie"), "");
  }
  EXPECT_EQ(send({http_method::post, token_path, {}, credentials})->status(),
            404)
    << "somebody else signs in";
}

TEST_F(web_session_calls, signing_out_ends_it) {
  const auto cookie = sign_in();
  auto out = with(http_method::post, "/auth/v1/logout", page(cookie));
  EXPECT_EQ(out->status(), 204);
  EXPECT_EQ(out->header("Set-Cookie"),
            "__Host-svc_session=; Max-Age=0; Path=/; HttpOnly; "
            "SameSite=Strict; Secure");
  EXPECT_EQ(
    with(http_method::get, "/api/v1/public/links", page(cookie))->status(),
    401);
  EXPECT_EQ(with(http_method::post, "/auth/v1/logout", page(cookie))->status(),
            204)
    << "who has signed out is signed out";
  EXPECT_EQ(with(http_method::post, "/auth/v1/logout",
                 {{"X-Requested-With", "turnout"}})
              ->status(),
            401);
}

TEST_F(web_session_calls, other_origins_cannot_use_it) {
  for (std::string path :
       {"/api/v1/public/links", "/auth/v1/token", "/auth/v1/user",
        "/auth/v1/session", "/auth/v1/logout"}) {
    auto out = with(http_method::options, path,
                    {{"Origin", "https://evil.example"},
                     {"Access-Control-Request-Headers", "x-requested-with"}});
    EXPECT_EQ(out->status(), 204) << path;
    EXPECT_EQ(
      out->header("Access-Control-Allow-Headers").find("X-Requested-With"),
      std::string::npos);
    EXPECT_EQ(out->header("Access-Control-Allow-Credentials"), "");
  }
}

TEST_F(web_session_calls, methods_of_the_auth_paths) {
  for (std::string path : {"/auth/v1/session", "/auth/v1/logout"}) {
    auto out = get(path);
    EXPECT_EQ(out->status(), 405) << path;
    EXPECT_EQ(out->header("Allow"), "POST");
  }
  auto out = with(http_method::post, "/auth/v1/user", {});
  EXPECT_EQ(out->status(), 405);
  EXPECT_EQ(out->header("Allow"), "GET");
}
