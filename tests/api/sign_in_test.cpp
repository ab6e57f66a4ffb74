#include "tests/api/harness/session.hpp"

#include <atomic>
#include <thread>

using namespace turnout::test;
using testing::HasSubstr;

namespace {

class sign_in_test : public session_test {};

class anon_key_test : public session_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_AUTH_ANON_KEY", "the-anon-key"}};
  }
};

} // namespace

TEST_F(sign_in_test, gives_a_session) {
  auto answer = sign_in(user_email, user_password);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.header("cache-control"), "no-store");
  EXPECT_EQ(answer.header("access-control-allow-origin"), "*");
  auto body = answer.json();
  EXPECT_EQ(body.as_object().size(), 5u);
  EXPECT_EQ(text(body, "token_type"), "bearer");
  EXPECT_EQ(number(body, "expires_in"), 3600);
  EXPECT_EQ(text(body.at("user"), "id"), user_id);
  EXPECT_EQ(text(body.at("user"), "email"), user_email);
  EXPECT_FALSE(text(body, "refresh_token").empty());
  auto token = text(body, "access_token");
  EXPECT_EQ(with_session(token, "GET", keys_path).status, 200);
  // Addresses are compared without case, passwords are not.
  EXPECT_EQ(sign_in("USER@Example.com", user_password).status, 200);
  expect_sign_in_error(sign_in(user_email, "Correct horse battery staple"), 400,
                       "invalid_grant");
}

TEST_F(sign_in_test, the_first_account_can) {
  auto out = service->output();
  auto pos = out.find("password");
  ASSERT_NE(pos, std::string::npos);
  auto password = out.substr(out.find_first_not_of(' ', pos + 8), 24);
  EXPECT_EQ(sign_in("admin@localhost", password).status, 200);
}

TEST_F(sign_in_test, unknown_users_look_like_wrong_passwords) {
  auto wrong = sign_in(user_email, "wrong");
  auto unknown = sign_in("nobody@example.com", "wrong");
  expect_sign_in_error(wrong, 400, "invalid_grant");
  EXPECT_EQ(unknown.status, wrong.status);
  EXPECT_EQ(unknown.body, wrong.body);
}

TEST_F(sign_in_test, refresh_tokens_work_once) {
  auto first = text(sign_in(user_email, user_password).json(), "refresh_token");
  auto answer = refresh(first);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(text(answer.json().at("user"), "email"), user_email);
  EXPECT_EQ(
    with_session(text(answer.json(), "access_token"), "GET", keys_path).status,
    200);
  auto second = text(answer.json(), "refresh_token");
  EXPECT_NE(second, first);
  auto other = text(sign_in(user_email, user_password).json(), "refresh_token");
  service->restart();
  // Used again it takes along what came from it, and nothing else.
  expect_sign_in_error(refresh(first), 400, "invalid_grant");
  expect_sign_in_error(refresh(second), 400, "invalid_grant");
  EXPECT_EQ(refresh(other).status, 200);
  expect_sign_in_error(refresh("junk"), 400, "invalid_grant");
}

TEST_F(sign_in_test, one_of_many_at_once_gets_the_next_refresh_token) {
  auto token = text(sign_in(user_email, user_password).json(), "refresh_token");
  std::atomic<int> won = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      http_client client{service->origin()};
      won += client
               .send("POST", token_path + "?grant_type=refresh_token", {},
                     json::serialize(json::object{{"refresh_token", token}}))
               .status
             == 200;
    });
  for (auto& x : threads)
    x.join();
  EXPECT_EQ(won, 1);
}

TEST_F(sign_in_test, malformed_requests) {
  auto post = [&](const std::string& query, const std::string& body,
                  const std::string& type = "application/json") {
    return send("POST", token_path + query, {{"Content-Type", type}}, body);
  };
  auto password = std::string{"?grant_type=password"};
  for (auto query : {"", "?grant_type=", "?grant_type=client_credentials"})
    expect_sign_in_error(post(query, "{}"), 400, "invalid_request");
  expect_sign_in_error(post(password, "{"), 422, "invalid_request");
  expect_sign_in_error(post(password, "[]"), 422, "invalid_request");
  auto missing = post(password, R"({"password":"x"})");
  expect_sign_in_error(missing, 422, "invalid_request");
  EXPECT_EQ(text(missing.json(), "detail"), "field required: email");
  for (auto body :
       {R"({"email":"a@b"})", R"({"email":1,"password":"x"})",
        R"({"email":"a@b","password":null})", R"({"email":"","password":"x"})"})
    expect_sign_in_error(post(password, body), 422, "invalid_request");
  expect_sign_in_error(post("?grant_type=refresh_token", "{}"), 422,
                       "invalid_request");
  expect_sign_in_error(
    post(password, "email=a&password=b", "application/x-www-form-urlencoded"),
    415, "invalid_request");
  expect_sign_in_error(post(password, std::string(1100000, ' ')), 413,
                       "invalid_request");
}

TEST_F(sign_in_test, paths_methods_and_preflight) {
  for (auto path : {"/auth", "/auth/", "/auth/v1", "/auth/v1/token/",
                    "/auth/v1/signup", "/auth/v2/token"})
    expect_sign_in_error(send("POST", path), 404, "not_found");
  auto answer = send("GET", token_path);
  expect_sign_in_error(answer, 405, "invalid_request");
  EXPECT_EQ(answer.header("allow"), "POST");
  answer = send("OPTIONS", token_path,
                {{"Origin", "https://app.example"},
                 {"Access-Control-Request-Method", "POST"},
                 {"Access-Control-Request-Headers", "apikey,content-type"}});
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.header("access-control-allow-origin"), "*");
  EXPECT_EQ(answer.header("access-control-allow-methods"), "POST");
  EXPECT_THAT(answer.header("access-control-allow-headers"),
              HasSubstr("apikey"));
}

TEST_F(sign_in_test, guessing_is_slowed_by_email) {
  auto guess
    = [&](const std::string& email, const std::string& password, int i) {
        // From everywhere, as botnets do.
        return sign_in(email, password,
                       {{"apikey", "x"},
                        {"X-Forwarded-For", "203.0.113." + std::to_string(i)}});
      };
  // A success forgives.
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(guess(user_email, "wrong", i).status, 400);
  EXPECT_EQ(guess(user_email, user_password, 5).status, 200);
  for (auto& email : {user_email, std::string{"nobody@example.com"}}) {
    int refused = 0;
    for (int i = 0; i < 12; ++i) {
      auto answer = guess(email, "wrong", i);
      if (answer.status == 429) {
        ++refused;
        expect_sign_in_error(answer, 429, "over_request_rate_limit");
        EXPECT_GE(std::stoi(answer.header("retry-after")), 1);
      } else {
        EXPECT_EQ(answer.status, 400);
      }
    }
    EXPECT_GE(refused, 1) << email;
  }
  // Others are not slowed by it.
  add_user("other@example.com", "another password");
  EXPECT_EQ(guess("other@example.com", "another password", 7).status, 200);
}

TEST_F(sign_in_test, guessing_is_slowed_by_address) {
  auto guess = [&](const std::string& address, int i) {
    return sign_in("user" + std::to_string(i) + "@example.com", "wrong",
                   {{"X-Forwarded-For", address}});
  };
  int refused = 0;
  for (int i = 0; i < 40 && refused == 0; ++i)
    refused += guess("203.0.113.7", i).status == 429;
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(guess("203.0.113.8", 99).status, 400);
  // Requests go on meanwhile.
  EXPECT_EQ(get(links_path).status, 200);
}

TEST_F(anon_key_test, is_asked_for_when_set) {
  expect_sign_in_error(sign_in(user_email, user_password, {}), 401,
                       "invalid_client");
  expect_sign_in_error(sign_in(user_email, user_password, {{"apikey", "x"}}),
                       401, "invalid_client");
  EXPECT_EQ(
    sign_in(user_email, user_password, {{"apikey", "the-anon-key"}}).status,
    200);
  EXPECT_EQ(service->run({"check-config"}).out.find("the-anon-key"),
            std::string::npos);
}
