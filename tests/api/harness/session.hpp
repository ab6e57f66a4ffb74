#pragma once

#include "tests/api/harness/api_test.hpp"

#include <string>

namespace turnout::test {

/// Path of the key operations.
inline const std::string keys_path = "/api/v1/public/keys";

/// Path of the sign-in.
inline const std::string token_path = "/auth/v1/token";

/// A service with a user who has a password.
class session_test : public api_test {
protected:
  void SetUp() override {
    api_test::SetUp();
    user_id = add_user(user_email, user_password);
  }

  /// Makes an account with a password and returns its id.
  std::string add_user(const std::string& email, const std::string& password) {
    auto result = service->run(
      {"user", "add", "--email", email, "--password-stdin"}, password + "\n");
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out.substr(0, result.out.find('\n'));
  }

  response sign_in(const std::string& email, const std::string& password,
                   const header_list& headers = {{"apikey", "anon"}}) {
    return send(
      "POST", token_path + "?grant_type=password", headers,
      json::serialize(json::object{{"email", email}, {"password", password}}));
  }

  response refresh(const std::string& token) {
    return send("POST", token_path + "?grant_type=refresh_token",
                {{"apikey", "anon"}},
                json::serialize(json::object{{"refresh_token", token}}));
  }

  /// Signs the user in and returns the session token.
  std::string session() {
    auto answer = sign_in(user_email, user_password);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return text(answer.json(), "access_token");
  }

  /// Sends a request with a session token.
  response with_session(const std::string& token, const std::string& method,
                        const std::string& path) {
    return send(method, path, {{"Authorization", "Bearer " + token}});
  }

  std::string user_email = "user@example.com";
  std::string user_password = "correct horse battery staple";
  std::string user_id;
};

/// Checks status and form of an error of the sign-in.
inline void expect_sign_in_error(const response& x, int status,
                                 const std::string& error) {
  EXPECT_EQ(x.status, status) << x.body;
  auto body = x.json();
  EXPECT_EQ(body.as_object().size(), 3u) << x.body;
  EXPECT_EQ(text(body, "error"), error);
  EXPECT_EQ(text(body, "error_description"), text(body, "detail"));
  EXPECT_FALSE(text(body, "detail").empty());
  EXPECT_EQ(x.header("access-control-allow-origin"), "*");
}

} // namespace turnout::test
