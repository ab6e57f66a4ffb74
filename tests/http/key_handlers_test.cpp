#include "tests/http/fixture.hpp"

using namespace turnout;
using namespace turnout::test;

namespace {

constexpr auto get_m = http_method::get;
constexpr auto post = http_method::post;
constexpr auto del = http_method::del;

class key_calls : public http_test {
public:
  std::shared_ptr<outcome> with(std::string authorization, http_method method,
                                const std::string& path) {
    return send({method,
                 "/api/v1/public/keys" + path,
                 {{"Authorization", std::move(authorization)}},
                 ""});
  }

  std::shared_ptr<outcome> call(http_method method, const std::string& path) {
    return with("Bearer token", method, path);
  }
};

constexpr auto key_id = "00000000-0000-7000-8000-00000000000a";

} // namespace

TEST_F(key_calls, a_key_is_created_shown_and_revoked) {
  auto out = call(post, "?name=%20Build%20server%20");
  EXPECT_EQ(out->status(), 201);
  EXPECT_EQ(out->last->body,
            R"({"id":"00000000-0000-7000-8000-00000000000a",)"
            R"("name":"Build server",)"
            R"("key":"svc_sk_0123456789abcdefghijklmnopqrstuv",)"
            R"("key_prefix":"svc_sk_0123",)"
            R"("created_at":"2025-11-24T16:00:00.000Z","rate_limit":1000})");
  EXPECT_EQ(out->header("Cache-Control"), "no-store");
  out = call(get_m, "");
  EXPECT_EQ(out->status(), 200);
  EXPECT_EQ(out->last->body,
            R"({"keys":[{"id":"00000000-0000-7000-8000-00000000000a",)"
            R"("name":"Build server","key_prefix":"svc_sk_0123",)"
            R"("created_at":"2025-11-24T16:00:00.000Z","last_used_at":null,)"
            R"("is_active":true}],"rate_limit_per_hour":1000})");
  out = call(del, std::string{"/"} + key_id);
  EXPECT_EQ(out->status(), 204);
  EXPECT_EQ(out->last->body, "");
  out = call(del, std::string{"/"} + key_id);
  EXPECT_EQ(out->status(), 404);
  EXPECT_EQ(out->detail(), "API key not found");
  EXPECT_EQ(actors.admissions, 0) << "sessions are not counted";
}

TEST_F(key_calls, parameters_are_checked) {
  EXPECT_EQ(call(post, "")->detail(), "field required: name");
  EXPECT_EQ(call(post, "?type=x")->detail(), "field required: name");
  EXPECT_EQ(call(post, "?name=&type=x")->status(), 422);
  EXPECT_EQ(call(post, "?name=a&type=live")->detail(),
            "type must be \"secret\" or \"publishable\"");
  EXPECT_EQ(call(post, "?name=%zz")->status(), 400);
  EXPECT_EQ(call(del, "/nonsense")->status(), 400);
  EXPECT_TRUE(actors.created_keys.empty());
  EXPECT_EQ(call(post, "?name=a&type=publishable")->status(), 201);
  EXPECT_EQ(actors.created_keys.at(0).type, key_type::publishable);
}

TEST_F(key_calls, the_rate_limit_is_that_of_the_headers) {
  actors.rate_now.remaining = 7;
  auto out = call(get_m, "/rate-limit");
  EXPECT_EQ(out->status(), 200);
  EXPECT_EQ(out->last->body, R"({"limit":1000,"remaining":7,)"
                             R"("reset_at":"2027-01-15T08:00:00.000Z"})");
  EXPECT_EQ(out->header("X-RateLimit-Remaining"), "7");
  EXPECT_EQ(out->header("X-RateLimit-Reset"), "1800000000");
  EXPECT_EQ(actors.peeks, 1);
  EXPECT_EQ(actors.admissions, 0);
  // Used up, it stands in nobody's way.
  actors.rate_now.allowed = false;
  EXPECT_EQ(call(get_m, "")->status(), 200);
  actors.admit_error = make_error(ec::unavailable, "restarting");
  EXPECT_EQ(call(get_m, "/rate-limit")->status(), 503);
}

TEST_F(key_calls, without_a_session_nothing_works) {
  for (const auto& value :
       {"", "Bearer", "Bearer ", "token", "Basic token", "Bearer other",
        "Bearer token extra", "Bearertoken"}) {
    auto out = with(value, get_m, "");
    EXPECT_EQ(out->status(), 401) << value;
    EXPECT_EQ(out->detail(), "Missing or invalid session token.");
    EXPECT_EQ(out->header("WWW-Authenticate"), "Bearer");
    EXPECT_EQ(out->header("X-RateLimit-Limit"), "300");
  }
  auto out = send(
    {get_m,
     "/api/v1/public/keys",
     {{"Authorization", "Bearer token"}, {"Authorization", "Bearer token"}},
     ""});
  EXPECT_EQ(out->status(), 401);
  out = send({get_m,
              "/api/v1/public/keys",
              {{"X-API-Key", fake_service::secret_key}},
              ""});
  EXPECT_EQ(out->status(), 401);
  for (auto value : {"bearer token", "BEARER  token"})
    EXPECT_EQ(with(value, get_m, "")->status(), 200) << value;
}

TEST_F(key_calls, invalid_sessions_use_up_the_budget_of_bad_keys) {
  for (int i = 0; i < 300; ++i)
    where.bad_keys.count(*ip_address::parse("198.41.0.4"), now());
  actors.waits_allowed.clear();
  auto out = with("Bearer other", get_m, "");
  EXPECT_EQ(out->status(), 429);
  EXPECT_FALSE(out->header("Retry-After").empty());
  // Nobody asks the identity provider for them.
  EXPECT_EQ(actors.waits_allowed, std::vector<bool>{false});
  EXPECT_EQ(call(get_m, "")->status(), 200) << "valid ones go on";
}

TEST_F(key_calls, without_api_access_all_but_creation_works) {
  auto out = with("Bearer closed", post, "");
  EXPECT_EQ(out->status(), 403);
  EXPECT_EQ(out->detail(), "API access is not enabled for this account.");
  EXPECT_EQ(with("Bearer closed", get_m, "")->status(), 200);
  EXPECT_EQ(with("Bearer closed", get_m, "/rate-limit")->status(), 200);
  EXPECT_EQ(with("Bearer closed", del, std::string{"/"} + key_id)->status(),
            404);
}

TEST_F(key_calls, the_provider_being_away_is_not_the_callers_fault) {
  actors.session_error = make_error(ec::unavailable, "no keys");
  auto out = call(get_m, "");
  EXPECT_EQ(out->status(), 503);
  EXPECT_EQ(out->header("WWW-Authenticate"), "");
  actors.session_error = caf::none;
  actors.drop_replies = true;
  EXPECT_EQ(call(post, "?name=x")->status(), 503);
}

TEST_F(key_calls, paths_and_methods) {
  EXPECT_EQ(with("", del, "")->header("Allow"), "GET, POST");
  EXPECT_EQ(with("", del, "/rate-limit")->header("Allow"), "GET");
  EXPECT_EQ(with("", get_m, std::string{"/"} + key_id)->header("Allow"),
            "DELETE");
  EXPECT_EQ(with("", get_m, "/a/b")->status(), 404);
}
