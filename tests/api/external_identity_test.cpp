#include "tests/api/harness/session.hpp"
#include "tests/identity/signer.hpp"

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

using namespace turnout::test;

namespace {

/// An identity provider: publishes keys and signs tokens.
class provider {
public:
  provider() {
    x_server.Get("/keys",
                 [this](const httplib::Request&, httplib::Response& out) {
                   ++fetches;
                   const std::lock_guard guard{x_mutex};
                   if (x_is_broken)
                     out.status = 500;
                   else
                     out.set_content(x_keys, "application/json");
                 });
    x_port = x_server.bind_to_any_port("127.0.0.1");
    x_thread = std::thread{[this] { x_server.listen_after_bind(); }};
    while (!x_server.is_running())
      std::this_thread::yield();
  }

  ~provider() {
    x_server.stop();
    x_thread.join();
  }

  std::string url() const {
    return "http://127.0.0.1:" + std::to_string(x_port) + "/keys";
  }

  void publish(const std::vector<const signer*>& keys) {
    const std::lock_guard guard{x_mutex};
    x_keys = jwks(keys);
  }

  void break_down(bool x) {
    const std::lock_guard guard{x_mutex};
    x_is_broken = x;
  }

  std::atomic<int> fetches = 0;

private:
  httplib::Server x_server;
  std::mutex x_mutex;
  std::string x_keys = "{\"keys\":[]}";
  bool x_is_broken = false;
  int x_port = 0;
  std::thread x_thread;
};

const std::string subject = "0b8e1a52-7a0c-4a54-9d5e-1c3c1f0c7b11";

json::object claims(const std::string& sub = subject) {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                     std::chrono::system_clock::now().time_since_epoch())
                     .count();
  return {{"sub", sub},
          {"exp", now + 600},
          {"iss", "https://id.example/"},
          {"aud", json::array{"turnout", "other"}},
          {"email", "ext@example.com"}};
}

json::object with(const std::string& name, const json::value& value) {
  auto result = claims();
  result[name] = value;
  return result;
}

class external_test : public session_test {
protected:
  void SetUp() override {
    identity.publish({&first, &curve});
    session_test::SetUp();
  }

  environment settings() const override {
    return {{"TURNOUT_AUTH_JWKS_URL", identity.url()},
            {"TURNOUT_AUTH_ISSUER", "https://id.example/"},
            {"TURNOUT_AUTH_AUDIENCE", "turnout"},
            {"TURNOUT_AUTH_JWKS_REFRESH_SECONDS", "86400"}};
  }

  int status(const std::string& token) {
    return with_session(token, "GET", keys_path).status;
  }

  provider identity;
  signer first = signer::rsa("rsa-1");
  signer curve = signer::ec("ec-1");
};

class shared_secret_test : public session_test {
protected:
  static inline const std::string secret
    = "a secret that only the identity provider and we know";

  environment settings() const override {
    return {{"TURNOUT_AUTH_JWT_SECRET", secret},
            {"TURNOUT_AUTH_REQUIRED_CLAIM", "api_access"}};
  }
};

} // namespace

TEST_F(external_test, the_whole_story) {
  auto token = first.sign(claims());
  auto listed = with_session(token, "GET", keys_path);
  ASSERT_EQ(listed.status, 200) << listed.body;
  EXPECT_TRUE(listed.json().at("keys").as_array().empty());
  EXPECT_EQ(with_session(token, "GET", keys_path + "/rate-limit").status, 200);
  // The account is made with the first key.
  EXPECT_EQ(service->run({"user", "list"}).out.find(subject),
            std::string::npos);
  auto made = with_session(token, "POST", keys_path + "?name=one");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_THAT(service->run({"user", "list"}).out,
              testing::HasSubstr(subject + "\text@example.com"));
  auto key = text(made.json(), "key");
  auto link = call_as(key, "POST", links_path,
                      {{"name", "mine"}, {"variants", two_variants()}});
  ASSERT_EQ(link.status, 201) << link.body;
  EXPECT_EQ(text(link.json(), "user_id"), subject);
  // The other algorithm speaks for the same account.
  token = curve.sign(claims());
  EXPECT_EQ(with_session(token, "POST", keys_path + "?name=two").status, 201);
  listed = with_session(token, "GET", keys_path);
  EXPECT_EQ(listed.json().at("keys").as_array().size(), 2u);
  auto path = keys_path + "/" + text(made.json(), "id");
  EXPECT_EQ(with_session(token, "DELETE", path).status, 204);
  EXPECT_EQ(call_as(key, "GET", links_path).status, 401);
  // The command line knows it by address or id.
  EXPECT_EQ(service->run({"user", "api-access", subject, "off"}).status, 0);
  EXPECT_EQ(
    eventually_equal(
      403,
      [&] {
        return with_session(token, "POST", keys_path + "?name=x").status;
      }),
    403);
}

TEST_F(external_test, an_address_of_somebody_else_decides_nothing) {
  auto token = first.sign(with("email", json::value_from(owner_email)));
  auto made = with_session(token, "POST", keys_path + "?name=one");
  ASSERT_EQ(made.status, 201) << made.body;
  auto listed = call_as(text(made.json(), "key"), "GET", links_path).json();
  EXPECT_EQ(number(listed, "total"), 0);
  auto users = service->run({"user", "list"}).out;
  EXPECT_THAT(users, testing::HasSubstr(owner_id + "\t" + owner_email));
  EXPECT_THAT(users, testing::HasSubstr(subject + "\t\t"));
}

TEST_F(external_test, keys_are_rotated_while_it_runs) {
  ASSERT_EQ(status(first.sign(claims())), 200);
  auto second = signer::rsa("rsa-2");
  EXPECT_EQ(status(second.sign(claims())), 401) << "not published yet";
  identity.publish({&second, &curve});
  EXPECT_EQ(status(second.sign(claims())), 200) << "looked up on demand";
  EXPECT_EQ(status(curve.sign(claims())), 200);
  EXPECT_EQ(status(first.sign(claims())), 401) << "withdrawn";
  auto third = signer::ec("ec-2");
  identity.publish({&third});
  // Many at once wait for one fetch.
  auto before = identity.fetches.load();
  auto token = third.sign(claims());
  std::atomic<int> passed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      passed
        += http_client{service->origin()}
             .send("GET", keys_path, {{"Authorization", "Bearer " + token}})
             .status
           == 200;
    });
  for (auto& x : threads)
    x.join();
  EXPECT_EQ(passed, 8);
  EXPECT_EQ(identity.fetches - before, 1);
}

TEST_F(external_test, known_keys_outlive_the_provider) {
  ASSERT_EQ(status(first.sign(claims())), 200);
  identity.break_down(true);
  auto second = signer::rsa("rsa-2");
  auto answer = with_session(second.sign(claims()), "GET", keys_path);
  EXPECT_EQ(answer.status, 503) << "nobody knows whether it is valid";
  EXPECT_TRUE(answer.has("retry-after"));
  EXPECT_EQ(status(first.sign(claims())), 200);
  // Other requests do not wait for the provider.
  EXPECT_EQ(get(links_path).status, 200);
  identity.publish({&first, &second});
  identity.break_down(false);
  EXPECT_EQ(status(second.sign(claims())), 200);
}

TEST_F(external_test, made_up_keys_do_not_flood_the_provider) {
  ASSERT_EQ(status(first.sign(claims())), 200);
  auto before = identity.fetches.load();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      http_client client{service->origin()};
      auto forged = signer::ec("made-up-" + std::to_string(i));
      for (int n = 0; n < 3; ++n)
        EXPECT_EQ(
          client
            .send("GET", keys_path,
                  {{"Authorization", "Bearer " + forged.sign(claims())}})
            .status,
          401);
    });
  for (auto& x : threads)
    x.join();
  // 24 tokens in three rounds; keys are made in between, so a round may take
  // two fetches.
  EXPECT_LE(identity.fetches - before, 8);
}

TEST_F(external_test, what_must_be_refused) {
  ASSERT_EQ(status(first.sign(claims())), 200);
  for (auto& [name, value] : std::vector<std::pair<std::string, json::value>>{
         {"iss", "https://evil.example/"},
         {"aud", "other"},
         {"sub", "ext@example.com"},
         {"exp", 1'700'000'000},
         {"exp", nullptr},
         {"nbf", 99'999'999'999}})
    EXPECT_EQ(status(first.sign(with(name, value))), 401) << name;
  EXPECT_EQ(status(sign_with_secret(first.public_pem(), claims(), "rsa-1")),
            401);
  EXPECT_EQ(status(sign_with_secret(first.public_jwk(), claims(), "rsa-1")),
            401);
  EXPECT_EQ(status(signer::rsa("rsa-1").sign(claims())), 401);
  auto none = base64url(R"({"alg":"none"})") + "."
              + base64url(json::serialize(claims())) + ".";
  EXPECT_EQ(status(none), 401);
  EXPECT_EQ(status(none + "e30"), 401);
}

TEST_F(external_test, there_is_no_built_in_sign_in) {
  expect_sign_in_error(sign_in(user_email, user_password), 404, "not_found");
  EXPECT_FALSE(std::filesystem::exists(service->data_dir() / "session_secret"));
}

TEST_F(shared_secret_test, signs_sessions_with_a_required_claim) {
  auto plain = sign_with_secret(secret, claims());
  EXPECT_EQ(with_session(plain, "GET", keys_path).status, 200);
  auto refused = with_session(plain, "POST", keys_path + "?name=x");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.detail(), "API access is not enabled for this account.");
  auto allowed = sign_with_secret(secret, with("api_access", true));
  EXPECT_EQ(with_session(allowed, "POST", keys_path + "?name=x").status, 201);
  EXPECT_EQ(with_session(plain, "POST", keys_path + "?name=x").status, 403)
    << "each token speaks for itself";
  auto forged = sign_with_secret(secret + "x", claims());
  EXPECT_EQ(with_session(forged, "GET", keys_path).status, 401);
  expect_sign_in_error(sign_in(user_email, user_password), 404, "not_found");
  EXPECT_EQ(service->run({"check-config"}).out.find(secret), std::string::npos);
}
