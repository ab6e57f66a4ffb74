#include "identity/token.hpp"

#include "core/identifiers.hpp"
#include "tests/identity/signer.hpp"

#include <gtest/gtest.h>

using namespace turnout;
using namespace turnout::identity;
using namespace turnout::test;

namespace {

using kind = token_verdict::kind;

constexpr std::string_view secret
  = "0123456789abcdef0123456789abcdef0123456789abcdef";

struct token_test : testing::Test {
  timestamp at = from_micros(1'700'000'000'000'000);
  uuid subject = make_uuid(at);
  token_rules rules;
  std::shared_ptr<const key_set> own = *key_set::from_secret(secret);
  signer rsa = signer::rsa("rsa-1");
  signer ec = signer::ec("ec-1");
  std::shared_ptr<const key_set> provider
    = *key_set::from_jwks(jwks({&rsa, &ec}));

  json::object claims() const {
    return {{"sub", subject.str()}, {"exp", 1'700'000'600}};
  }

  json::object with(std::string_view name, json::value value) const {
    auto result = claims();
    result[json::string_view{name.data(), name.size()}] = std::move(value);
    return result;
  }

  json::object without(std::string_view name) const {
    auto result = claims();
    result.erase(json::string_view{name.data(), name.size()});
    return result;
  }

  kind of(const std::string& token, const key_set& keys) const {
    return verify_token(token, keys, rules, at).what;
  }

  kind of(const json::object& payload) const {
    return of(rsa.sign(payload), *provider);
  }
};

std::string cut(const std::string& token, size_t part) {
  size_t begin = 0;
  for (size_t i = 0; i < part; ++i)
    begin = token.find('.', begin) + 1;
  return token.substr(begin, token.find('.', begin) - begin);
}

} // namespace

TEST_F(token_test, issued_tokens_are_valid) {
  rules.issuer = "turnout";
  rules.audience = "api";
  session_claims mine;
  mine.subject = subject;
  mine.email = "ann@example.org";
  const auto token
    = issue_token(mine, secret, rules, at, std::chrono::seconds{3600});
  ASSERT_TRUE(token);
  const auto verdict = verify_token(*token, *own, rules, at);
  EXPECT_EQ(verdict.what, kind::valid);
  EXPECT_EQ(verdict.claims.subject, subject);
  EXPECT_EQ(verdict.claims.email, "ann@example.org");
  EXPECT_TRUE(verdict.claims.api_access);
  EXPECT_EQ(verdict.claims.expires_at,
            std::chrono::floor<std::chrono::seconds>(at)
              + std::chrono::seconds{3600});
  const auto other = key_set::from_secret("another secret of no importance");
  EXPECT_EQ(of(*token, **other), kind::invalid);
}

TEST_F(token_test, rsa_and_p256_keys_are_used) {
  for (const auto* x : {&rsa, &ec}) {
    const auto verdict = verify_token(x->sign(claims()), *provider, rules, at);
    EXPECT_EQ(verdict.what, kind::valid);
    EXPECT_EQ(verdict.claims.subject, subject);
  }
}

TEST_F(token_test, what_was_tampered_with_is_refused) {
  for (const auto* x : {&rsa, &ec}) {
    const auto token = x->sign(claims());
    const auto other
      = x->sign(with("sub", json::value_from(make_uuid(at).str())));
    EXPECT_EQ(
      of(cut(token, 0) + '.' + cut(other, 1) + '.' + cut(token, 2), *provider),
      kind::invalid);
    // Each character matters, but the bits that the last one has to spare.
    for (auto i = token.find('.') + 1; i + 1 < token.size(); i += 7) {
      auto broken = token;
      broken[i] = broken[i] == 'A' ? 'B' : 'A';
      EXPECT_NE(of(broken, *provider), kind::valid) << i;
    }
  }
}

TEST_F(token_test, what_is_no_token_is_refused) {
  const auto token = rsa.sign(claims());
  for (const auto& text :
       {std::string{}, std::string{"."}, std::string{".."}, std::string{"a.b"},
        std::string{"a.b.c"}, cut(token, 0) + '.' + cut(token, 1),
        cut(token, 0) + '.' + cut(token, 1) + '.', token + ".x", token + '=',
        ' ' + token, std::string(100'000, 'a'),
        std::string{"svc_sk_0123456789abcdefghijklmnopqrstuv"}})
    EXPECT_EQ(of(text, *provider), kind::invalid) << text.substr(0, 40);
}

TEST_F(token_test, none_is_no_algorithm) {
  for (std::string alg : {"none", "None", "NONE", "nOnE", ""}) {
    const auto head = base64url(json::serialize(json::object{{"alg", alg}}));
    const auto body = base64url(json::serialize(claims()));
    for (const auto* keys : {own.get(), provider.get()})
      for (std::string tail : {"", "e30"})
        EXPECT_EQ(of(head + '.' + body + '.' + tail, *keys), kind::invalid);
  }
}

TEST_F(token_test, a_public_key_is_no_secret) {
  // The classic: sign with what everybody may read.
  for (const auto& text : {rsa.public_jwk(), rsa.public_pem(), ec.public_jwk(),
                           jwks({&rsa, &ec})}) {
    const auto forged = sign_with_secret(text, claims(), "rsa-1");
    EXPECT_EQ(of(forged, *provider), kind::invalid);
  }
  const auto honest = sign_with_secret(std::string{secret}, claims());
  EXPECT_EQ(of(honest, *own), kind::valid);
  EXPECT_EQ(of(honest, *provider), kind::invalid);
  EXPECT_EQ(of(rsa.sign(claims()), *own), kind::invalid);
}

TEST_F(token_test, a_key_serves_its_own_algorithm) {
  // The name of one key with the signature of the other.
  auto mixed = signer::ec("rsa-1");
  EXPECT_NE(of(mixed.sign(claims()), *provider), kind::valid);
  for (auto alg : {"RS512", "PS256"})
    EXPECT_EQ(of(rsa.sign(claims(), alg), *provider), kind::invalid) << alg;
}

TEST_F(token_test, an_unknown_key_is_told_apart) {
  auto next = signer::rsa("rsa-2");
  EXPECT_EQ(of(next.sign(claims()), *provider), kind::unknown_key);
  EXPECT_EQ(of(next.sign(claims()), *key_set::not_fetched()),
            kind::unknown_key);
  // The same name with another key is a forgery.
  EXPECT_EQ(of(signer::rsa("rsa-1").sign(claims()), *provider), kind::invalid);
  // Not worth asking for.
  EXPECT_EQ(of(next.sign(with("exp", 1)), *provider), kind::invalid);
  EXPECT_EQ(of(next.sign(without("sub")), *provider), kind::invalid);
}

TEST_F(token_test, keys_without_a_name_are_tried) {
  auto nameless = signer::ec("");
  const auto keys = *key_set::from_jwks(jwks({&rsa, &nameless}));
  EXPECT_EQ(of(nameless.sign(claims()), *keys), kind::valid);
  EXPECT_EQ(of(signer::ec("").sign(claims()), *keys), kind::unknown_key);
}

TEST_F(token_test, times_are_kept_with_a_minute_to_spare) {
  EXPECT_EQ(of(without("exp")), kind::invalid);
  EXPECT_EQ(of(with("exp", "1700000600")), kind::invalid);
  EXPECT_EQ(of(with("exp", nullptr)), kind::invalid);
  EXPECT_EQ(of(with("exp", 1'700'000'600.5)), kind::valid);
  EXPECT_EQ(of(with("exp", 1'699'999'941)), kind::valid);
  EXPECT_EQ(of(with("exp", 1'699'999'940)), kind::invalid);
  EXPECT_EQ(of(with("exp", -1)), kind::invalid);
  EXPECT_EQ(of(with("nbf", 1'700'000'060)), kind::valid);
  EXPECT_EQ(of(with("nbf", 1'700'000'061)), kind::invalid);
  EXPECT_EQ(of(with("nbf", "soon")), kind::invalid);
}

TEST_F(token_test, issuer_and_audience_are_checked_when_set) {
  EXPECT_EQ(of(claims()), kind::valid);
  rules.issuer = "https://id.example";
  EXPECT_EQ(of(claims()), kind::invalid);
  EXPECT_EQ(of(with("iss", "https://id.example/")), kind::invalid);
  EXPECT_EQ(of(with("iss", "https://id.example")), kind::valid);
  rules = {};
  rules.audience = "api";
  EXPECT_EQ(of(claims()), kind::invalid);
  EXPECT_EQ(of(with("aud", "other")), kind::invalid);
  EXPECT_EQ(of(with("aud", "api")), kind::valid);
  EXPECT_EQ(of(with("aud", json::array{"other", "api"})), kind::valid);
  EXPECT_EQ(of(with("aud", json::array{"other", 1})), kind::invalid);
  EXPECT_EQ(of(with("aud", json::object{{"api", true}})), kind::invalid);
}

TEST_F(token_test, the_subject_is_a_uuid) {
  EXPECT_EQ(of(without("sub")), kind::invalid);
  EXPECT_EQ(of(with("sub", "ann")), kind::invalid);
  EXPECT_EQ(of(with("sub", 7)), kind::invalid);
  EXPECT_EQ(of(with("sub", "00000000-0000-0000-0000-000000000000")),
            kind::invalid);
  const auto upper = verify_token(
    rsa.sign(with("sub", "0A0B0C0D-0000-4000-8000-00000000000F")), *provider,
    rules, at);
  EXPECT_EQ(upper.what, kind::valid);
  EXPECT_EQ(upper.claims.subject.str(), "0a0b0c0d-0000-4000-8000-00000000000f");
}

TEST_F(token_test, a_required_claim_decides_on_api_access) {
  const auto access = [&](const json::object& payload) {
    const auto verdict = verify_token(rsa.sign(payload), *provider, rules, at);
    EXPECT_EQ(verdict.what, kind::valid);
    return verdict.claims.api_access;
  };
  EXPECT_TRUE(access(claims()));
  rules.required_claim = "api_access";
  EXPECT_FALSE(access(claims()));
  EXPECT_FALSE(access(with("api_access", false)));
  EXPECT_FALSE(access(with("api_access", "true")));
  EXPECT_FALSE(access(with("api_access", 1)));
  EXPECT_TRUE(access(with("api_access", true)));
  rules.required_claim = "app.api_access";
  EXPECT_FALSE(access(with("api_access", true)));
  EXPECT_TRUE(access(with("app", json::object{{"api_access", true}})));
}

TEST_F(token_test, extensions_that_must_be_understood_are_not) {
  EXPECT_EQ(
    of(rsa.sign(claims(), "RS256", {{"crit", json::array{"exp"}}}), *provider),
    kind::invalid);
}

TEST(key_set, only_keys_that_may_sign_are_taken) {
  const auto rsa = signer::rsa("a");
  const auto weak = signer::rsa("weak", 1024);
  const auto other_curve = signer::ec("p384", CJOSE_JWK_EC_P_384);
  EXPECT_FALSE(key_set::from_jwks(""));
  EXPECT_FALSE(key_set::from_jwks("[]"));
  EXPECT_FALSE(key_set::from_jwks("{\"keys\":{}}"));
  EXPECT_FALSE(key_set::from_jwks("{\"keys\":[]}"));
  EXPECT_FALSE(key_set::from_jwks("{\"keys\":[7,{\"kty\":\"RSA\"}]}"));
  EXPECT_FALSE(key_set::from_jwks(jwks({&weak, &other_curve})));
  EXPECT_FALSE(key_set::from_jwks(
    "{\"keys\":[{\"kty\":\"oct\",\"k\":\"c2VjcmV0c2VjcmV0\"}]}"));
  EXPECT_FALSE(key_set::from_jwks("{\"keys\":["
                                  + rsa.public_jwk({{"use", "enc"}}) + "]}"));
  EXPECT_FALSE(key_set::from_jwks("{\"keys\":["
                                  + rsa.public_jwk({{"alg", "RS512"}}) + "]}"));
  const auto good = key_set::from_jwks(
    "{\"keys\":[{}," + weak.public_jwk() + ','
    + rsa.public_jwk({{"use", "sig"}, {"alg", "RS256"}}) + "]}");
  ASSERT_TRUE(good);
  EXPECT_EQ((*good)->keys().size(), 1u);
  EXPECT_FALSE(key_set::from_secret(""));
}
