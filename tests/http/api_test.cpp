#include "tests/http/fixture.hpp"

using namespace turnout;
using namespace turnout::test;

namespace {

constexpr auto get_m = http_method::get;
constexpr auto post = http_method::post;

class api_calls : public http_test {
public:
  std::shared_ptr<outcome>
  with_headers(http_method method, const std::string& path,
               std::vector<std::pair<std::string, std::string>> headers) {
    return send({method, "/api/v1" + path, std::move(headers), ""});
  }

  void expect_common_headers(const outcome& x) {
    EXPECT_EQ(x.answers, 1);
    EXPECT_EQ(x.header("Access-Control-Allow-Origin"), "*");
    EXPECT_EQ(x.header("Access-Control-Expose-Headers"),
              "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, "
              "Retry-After");
    for (auto name :
         {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"})
      EXPECT_FALSE(x.header(name).empty()) << name;
  }
};

} // namespace

TEST_F(api_calls, path_and_method_come_before_the_key) {
  for (std::string path :
       {"", "/", "/public", "/public/links/", "/public/link", "/public/keys/",
        "/public/links/x/analytics/winners", "/public/links/x/clicks.xlsx",
        "/public/links/x/y", "/public/links//clicks", "//public/links",
        "/public/conversions/"}) {
    auto out = with_headers(get_m, path, {});
    EXPECT_EQ(out->status(), 404) << path;
    EXPECT_EQ(out->detail(), "Not found");
    expect_common_headers(*out);
  }
  auto out = with_headers(http_method::del, "/public/links", {});
  EXPECT_EQ(out->status(), 405);
  EXPECT_EQ(out->header("Allow"), "GET, POST");
  EXPECT_EQ(out->detail(), "Method not allowed");
  expect_common_headers(*out);
  out = with_headers(http_method::other, "/public/links/not-a-uuid", {});
  EXPECT_EQ(out->status(), 405);
  EXPECT_EQ(out->header("Allow"), "GET, PUT, DELETE");
}

TEST_F(api_calls, a_missing_or_empty_key_is_told_apart_from_a_wrong_one) {
  auto out = with_headers(get_m, "/public/links", {});
  EXPECT_EQ(out->status(), 401);
  EXPECT_EQ(out->detail(), "Missing API key. Include X-API-Key header.");
  expect_common_headers(*out);
  out = with_headers(get_m, "/public/links", {{"x-api-key", " "}});
  EXPECT_EQ(out->detail(), "Missing API key. Include X-API-Key header.");
  for (std::string key : {std::string{"0"}, std::string{"true"},
                          std::string{"svc_sk_"}, std::string(1 << 20, 'k')}) {
    out = with_headers(get_m, "/public/links", {{"X-API-Key", key}});
    EXPECT_EQ(out->status(), 401);
    EXPECT_EQ(out->detail(), "Invalid API key.");
    expect_common_headers(*out);
  }
  out = with_headers(get_m, "/public/links",
                     {{"X-API-Key", fake_service::secret_key},
                      {"X-API-Key", fake_service::secret_key}});
  EXPECT_EQ(out->detail(), "Invalid API key.");
  EXPECT_EQ(actors.admissions, 0);
}

TEST_F(api_calls, a_publishable_key_may_only_read) {
  const auto id = add_link().id.str();
  const std::pair<http_method, std::string> writes[] = {
    {post, "/public/links"},
    {http_method::put, "/public/links/" + id},
    {http_method::del, "/public/links/" + id},
    {http_method::put, "/public/links/" + id + "/variants"},
    {post, "/public/links/" + id + "/promote-winner"},
    {post, "/public/conversions"},
    {post, "/public/links/not-a-uuid/promote-winner"},
  };
  for (const auto& [method, path] : writes) {
    auto out = api(method, path, "not json", fake_service::publishable_key);
    EXPECT_EQ(out->status(), 403) << path;
    EXPECT_EQ(out->detail(), "This operation requires a secret API key.");
    expect_common_headers(*out);
  }
  EXPECT_EQ(actors.link_calls, 0);
  EXPECT_EQ(actors.admissions, 7) << "every request with a valid key counts";
  for (const auto& path : {std::string{"/public/links"}, "/public/links/" + id})
    EXPECT_EQ(api(get_m, path, "", fake_service::publishable_key)->status(),
              200);
}

TEST_F(api_calls, without_api_access_nothing_works) {
  auto out = api(get_m, "/public/links", "", fake_service::closed_key);
  EXPECT_EQ(out->status(), 403);
  EXPECT_EQ(out->detail(), "API access is not enabled for this account.");
  expect_common_headers(*out);
}

TEST_F(api_calls, the_rate_limit_comes_before_the_body) {
  actors.rate_now.allowed = false;
  actors.rate_now.remaining = 0;
  actors.rate_now.reset_at
    = std::chrono::floor<std::chrono::seconds>(now()) + std::chrono::hours{1};
  auto out = api(post, "/public/links", "not json");
  EXPECT_EQ(out->status(), 429);
  EXPECT_EQ(out->detail(), "Rate limit exceeded. Please try again later.");
  EXPECT_EQ(out->header("X-RateLimit-Limit"), "1000");
  EXPECT_EQ(out->header("X-RateLimit-Remaining"), "0");
  EXPECT_EQ(out->header("X-RateLimit-Reset"),
            std::to_string(to_micros(actors.rate_now.reset_at) / 1'000'000));
  const auto wait = std::stoi(out->header("Retry-After"));
  EXPECT_GT(wait, 3590);
  EXPECT_LE(wait, 3600);
  // Path, method and kind of key still come first, and count.
  EXPECT_EQ(api(get_m, "/public/nothing")->status(), 404);
  EXPECT_EQ(
    api(post, "/public/links", "", fake_service::publishable_key)->status(),
    403);
  EXPECT_EQ(actors.admissions, 3);
  EXPECT_EQ(counters.rate_limited_account->Value(), 1.0);
}

TEST_F(api_calls, requests_without_a_valid_key_have_a_budget_of_their_own) {
  auto bad = [this](const std::string& peer) {
    call_spec spec;
    spec.target = "/api/v1/public/links";
    spec.headers = {{"X-API-Key", "svc_sk_wrong"}};
    spec.peer = peer;
    return send(spec);
  };
  // A minute may end between two requests; then the budget starts over.
  auto refused = 0;
  for (auto i = 0; i < 700; ++i) {
    auto out = bad("9.9.9.9");
    expect_common_headers(*out);
    EXPECT_EQ(out->header("X-RateLimit-Limit"), "300");
    if (out->status() == 429) {
      ++refused;
      EXPECT_EQ(out->header("X-RateLimit-Remaining"), "0");
      EXPECT_FALSE(out->header("Retry-After").empty());
    } else {
      EXPECT_EQ(out->status(), 401);
    }
  }
  EXPECT_GE(refused, 100);
  EXPECT_LE(refused, 400);
  EXPECT_EQ(bad("9.9.9.8")->status(), 401);
  call_spec good;
  good.target = "/api/v1/public/links";
  good.headers = {{"X-API-Key", fake_service::secret_key}};
  good.peer = "9.9.9.9";
  EXPECT_EQ(send(good)->status(), 200);
}

TEST_F(api_calls, preflight_needs_no_key_and_names_the_methods_of_the_path) {
  auto preflight = [this](const std::string& path) {
    return with_headers(http_method::options, path,
                        {{"Origin", "https://x.example"},
                         {"Access-Control-Request-Method", "POST"}});
  };
  auto out = preflight("/public/links");
  EXPECT_EQ(out->status(), 204);
  EXPECT_EQ(out->header("Access-Control-Allow-Methods"), "GET, POST");
  EXPECT_EQ(out->header("Access-Control-Allow-Headers"),
            "X-API-Key, Authorization, Content-Type, Idempotency-Key");
  EXPECT_EQ(out->header("Access-Control-Allow-Credentials"), "");
  expect_common_headers(*out);
  out = preflight("/public/links/x/variants");
  EXPECT_EQ(out->header("Access-Control-Allow-Methods"), "PUT");
  EXPECT_EQ(preflight("/public/nothing")->status(), 404);
  EXPECT_EQ(actors.authentications, 0);
}

TEST_F(api_calls, errors_of_the_store_tell_nothing_about_it) {
  const auto id = add_link().id.str();
  actors.store_is_down = true;
  auto out = api(get_m, "/public/links/" + id);
  EXPECT_EQ(out->status(), 503);
  EXPECT_EQ(out->header("Retry-After"), "1");
  EXPECT_EQ(out->detail(),
            "Service temporarily unavailable. Please try again later.");
  expect_common_headers(*out);
}

TEST_F(api_calls, an_exception_is_500) {
  const auto id = add_link().id.str();
  actors.throw_in_with_link = true;
  auto out = api(get_m, "/public/links/" + id);
  EXPECT_EQ(out->status(), 500);
  EXPECT_EQ(out->last->body, R"({"detail":"Internal server error"})");
  expect_common_headers(*out);
}

TEST_F(api_calls, a_dropped_reply_is_503) {
  const auto id = add_link().id.str();
  actors.drop_replies = true;
  auto out = api(get_m, "/public/links/" + id);
  EXPECT_EQ(out->status(), 503);
  EXPECT_EQ(out->header("Retry-After"), "1");
  expect_common_headers(*out);
}

TEST_F(api_calls, a_limiter_that_fails_is_503_but_hides_no_earlier_error) {
  actors.admit_error = make_error(ec::unavailable, "no");
  auto out = api(get_m, "/public/links");
  EXPECT_EQ(out->status(), 503);
  expect_common_headers(*out);
  EXPECT_EQ(api(get_m, "/public/nothing")->status(), 404);
}

TEST_F(api_calls, overload_is_503) {
  call_spec spec;
  spec.target = "/api/v1/public/links";
  spec.headers = {{"X-API-Key", fake_service::secret_key}};
  spec.load = 101;
  auto out = send(spec);
  EXPECT_EQ(out->status(), 503);
  EXPECT_EQ(out->header("Retry-After"), "1");
  expect_common_headers(*out);
  EXPECT_EQ(counters.refused_overload->Value(), 1.0);
  spec.load = 100;
  EXPECT_EQ(send(spec)->status(), 200);
}

TEST_F(api_calls, headers_beyond_64_kib_are_431) {
  auto out = with_headers(get_m, "/public/links",
                          {{"X-Big", std::string(max_header_bytes, 'x')}});
  EXPECT_EQ(out->status(), 431);
  EXPECT_TRUE(out->last->close);
  expect_common_headers(*out);
  out = send({get_m, "/promo-24", {{"X-Big", std::string(70000, 'x')}}, ""});
  EXPECT_EQ(out->status(), 431);
  EXPECT_EQ(actors.visits, 0);
}

TEST_F(api_calls, answers_are_counted_by_route_template) {
  add_link();
  api(get_m, "/public/links/00000000-0000-7000-8000-0000000009ff");
  api(get_m, "/public/nothing/secret-path");
  const auto text = counters.expose();
  EXPECT_NE(text.find("/public/links/{id}"), std::string::npos);
  EXPECT_EQ(text.find("secret-path"), std::string::npos);
  EXPECT_EQ(text.find("9ff"), std::string::npos);
}

TEST_F(api_calls, other_versions_are_unknown_paths) {
  auto out = send({get_m, "/api/v2/public/links", {}, ""});
  EXPECT_EQ(out->status(), 404);
  EXPECT_EQ(out->header("X-RateLimit-Limit"), "300");
  EXPECT_EQ(actors.visits, 0);
}
