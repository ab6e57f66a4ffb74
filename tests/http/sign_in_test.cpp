#include "tests/http/fixture.hpp"

#include <boost/json/serialize.hpp>

using namespace turnout;
using namespace turnout::test;

namespace {

class sign_in_calls : public http_test {
public:
  std::shared_ptr<outcome> sign_in(const std::string& email,
                                   const std::string& password,
                                   const std::string& peer = "198.41.0.4") {
    call_spec x;
    x.method = http_method::post;
    x.target = "/auth/v1/token?grant_type=password";
    x.body = boost::json::serialize(
      boost::json::object{{"email", email}, {"password", password}});
    x.peer = peer;
    return send(std::move(x));
  }

  std::shared_ptr<outcome> refresh(const std::string& token) {
    return send({http_method::post,
                 "/auth/v1/token?grant_type=refresh_token",
                 {},
                 R"({"refresh_token":")" + token + "\"}"});
  }

  void expect_error(const outcome& x, int status, const std::string& error) {
    EXPECT_EQ(x.answers, 1);
    EXPECT_EQ(x.status(), status);
    const auto body = x.json().as_object();
    EXPECT_EQ(body.size(), 3u);
    EXPECT_EQ(body.at("error").as_string(), error);
    EXPECT_EQ(body.at("error_description"), body.at("detail"));
    EXPECT_EQ(x.header("Access-Control-Allow-Origin"), "*");
  }
};

std::string from(int i) {
  return "203.0.113." + std::to_string(i);
}

} // namespace

TEST_F(sign_in_calls, tokens_are_answered) {
  auto out = sign_in("owner@example.com", "right");
  EXPECT_EQ(out->status(), 200);
  EXPECT_EQ(out->last->body, R"({"access_token":"header.payload.signature",)"
                             R"("token_type":"bearer","expires_in":3600,)"
                             R"("refresh_token":"refresh-1","user":)"
                             R"({"id":"00000000-0000-7000-8000-000000000001",)"
                             R"("email":"owner@example.com"}})");
  EXPECT_EQ(out->header("Cache-Control"), "no-store");
  EXPECT_EQ(refresh("refresh-1")->status(), 200);
  expect_error(*refresh("other"), 400, "invalid_grant");
  expect_error(*sign_in("owner@example.com", "wrong"), 400, "invalid_grant");
}

TEST_F(sign_in_calls, guessing_is_slowed_by_email_whatever_its_case) {
  for (int i = 0; i < 5; ++i)
    expect_error(
      *sign_in(i % 2 ? "Ann@example.com" : "ann@example.com", "wrong", from(i)),
      400, "invalid_grant");
  auto out = sign_in("ANN@EXAMPLE.COM", "right", from(9));
  expect_error(*out, 429, "over_request_rate_limit");
  EXPECT_FALSE(out->header("Retry-After").empty());
  EXPECT_EQ(actors.sign_ins, 5) << "no work is done for it";
  EXPECT_EQ(sign_in("bob@example.com", "right", from(1))->status(), 200);
}

TEST_F(sign_in_calls, guessing_is_slowed_by_address) {
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(sign_in("u" + std::to_string(i), "wrong")->status(), 400);
  expect_error(*sign_in("v", "right"), 429, "over_request_rate_limit");
  expect_error(*refresh("refresh-1"), 429, "over_request_rate_limit");
  EXPECT_EQ(sign_in("v", "right", "203.0.113.1")->status(), 200);
}

TEST_F(sign_in_calls, an_own_account_does_not_clear_the_address) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(sign_in("u" + std::to_string(i), "wrong")->status(), 400);
    // The last failure begins the wait.
    EXPECT_EQ(sign_in("mine", "right")->status(), i < 19 ? 200 : 429);
  }
}

TEST_F(sign_in_calls, success_forgives_the_email) {
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(sign_in("ann", "wrong", from(round * 4 + i))->status(), 400);
    EXPECT_EQ(sign_in("ann", "right", from(99))->status(), 200);
  }
}

TEST_F(sign_in_calls, many_at_once_do_not_slip_through) {
  actors.hold_sign_ins = true;
  std::vector<std::shared_ptr<outcome>> all;
  for (int i = 0; i < 20; ++i)
    all.push_back(sign_in("ann", "wrong", from(i)));
  EXPECT_EQ(actors.sign_ins, 16);
  EXPECT_EQ(all.back()->status(), 429);
  EXPECT_EQ(all.front()->answers, 0);
  // A service that dies over them answers, and blames nobody.
  actors.held_sign_ins.clear();
  expect_error(*all.front(), 503, "temporarily_unavailable");
  actors.hold_sign_ins = false;
  EXPECT_EQ(sign_in("ann", "right")->status(), 200);
}

TEST_F(sign_in_calls, failures_of_the_service_blame_nobody) {
  actors.sign_in_error = make_error(ec::unavailable, "SELECT failed");
  for (int i = 0; i < 30; ++i) {
    auto out = sign_in("ann", "right");
    expect_error(*out, 503, "temporarily_unavailable");
    EXPECT_EQ(out->last->body.find("SELECT"), std::string::npos);
  }
  actors.sign_in_error = caf::none;
  EXPECT_EQ(sign_in("ann", "right")->status(), 200);
}

TEST_F(sign_in_calls, without_the_built_in_sign_in_there_is_none) {
  where.has_sign_in = false;
  expect_error(*sign_in("ann", "right"), 404, "not_found");
  expect_error(*get("/auth/v1/token"), 404, "not_found");
  EXPECT_EQ(actors.sign_ins, 0);
}

TEST_F(sign_in_calls, overload_comes_first) {
  call_spec x;
  x.method = http_method::post;
  x.target = "/auth/v1/token?grant_type=password";
  x.load = 101;
  expect_error(*send(std::move(x)), 503, "temporarily_unavailable");
}
