#pragma once

#include <boost/json.hpp>
#include <cjose/cjose.h>
#include <openssl/bio.h>
#include <openssl/pem.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace turnout::test {

namespace json = boost::json;

/// Returns `text` in base64url without padding.
inline std::string base64url(const std::string& text) {
  char* out = nullptr;
  size_t size = 0;
  cjose_err err;
  if (!cjose_base64url_encode(reinterpret_cast<const uint8_t*>(text.data()),
                              text.size(), &out, &size, &err))
    throw std::runtime_error{"cannot encode"};
  std::string result{out, size};
  cjose_get_dealloc()(out);
  return result;
}

/// Signs a JWT with a key; `header` is on top of alg and kid.
inline std::string sign_jwt(const cjose_jwk_t* key, const std::string& alg,
                            const std::string& kid, const json::object& payload,
                            const json::object& header = {}) {
  cjose_err err;
  auto* head = cjose_header_new(&err);
  cjose_header_set(head, CJOSE_HDR_ALG, alg.c_str(), &err);
  if (!kid.empty())
    cjose_header_set(head, CJOSE_HDR_KID, kid.c_str(), &err);
  for (const auto& x : header)
    cjose_header_set_raw(head, std::string{x.key()}.c_str(),
                         json::serialize(x.value()).c_str(), &err);
  const auto text = json::serialize(payload);
  auto* jws
    = cjose_jws_sign(key, head, reinterpret_cast<const uint8_t*>(text.data()),
                     text.size(), &err);
  cjose_header_release(head);
  const char* out = nullptr;
  if (jws == nullptr || !cjose_jws_export(jws, &out, &err))
    throw std::runtime_error{"cannot sign"};
  std::string result{out};
  cjose_jws_release(jws);
  return result;
}

/// Signs a JWT with HS256.
inline std::string sign_with_secret(const std::string& secret,
                                    const json::object& payload,
                                    const std::string& kid = {}) {
  cjose_err err;
  auto* key = cjose_jwk_create_oct_spec(
    reinterpret_cast<const uint8_t*>(secret.data()), secret.size(), &err);
  auto result = sign_jwt(key, "HS256", kid, payload);
  cjose_jwk_release(key);
  return result;
}

/// A key pair of an identity provider.
class signer {
public:
  static signer rsa(const std::string& kid, size_t bits = 2048) {
    const uint8_t exponent[] = {1, 0, 1};
    cjose_err err;
    return {cjose_jwk_create_RSA_random(bits, exponent, sizeof(exponent), &err),
            kid, "RS256"};
  }

  static signer ec(const std::string& kid,
                   cjose_jwk_ec_curve curve = CJOSE_JWK_EC_P_256) {
    cjose_err err;
    return {cjose_jwk_create_EC_random(curve, &err), kid,
            curve == CJOSE_JWK_EC_P_256 ? "ES256" : "ES384"};
  }

  /// @param alg empty for the one that suits the key.
  std::string sign(const json::object& payload, const std::string& alg = {},
                   const json::object& header = {}) const {
    return sign_jwt(x_key.get(), alg.empty() ? x_alg : alg, x_kid, payload,
                    header);
  }

  /// Returns the public key as a JWK, with the members of `more`.
  std::string public_jwk(const json::object& more = {}) const {
    cjose_err err;
    auto* text = cjose_jwk_to_json(x_key.get(), false, &err);
    auto result = json::parse(text).as_object();
    cjose_get_dealloc()(text);
    if (!x_kid.empty())
      result["kid"] = x_kid;
    for (const auto& x : more)
      result[x.key()] = x.value();
    return json::serialize(result);
  }

  /// Returns the public key as PEM; RSA only.
  std::string public_pem() const {
    cjose_err err;
    auto* bio = BIO_new(BIO_s_mem());
    auto* data = cjose_jwk_get_keydata(x_key.get(), &err);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    PEM_write_bio_RSA_PUBKEY(bio, static_cast<RSA*>(data));
#pragma GCC diagnostic pop
    char* text = nullptr;
    const auto size = BIO_get_mem_data(bio, &text);
    std::string result{text, static_cast<size_t>(size)};
    BIO_free(bio);
    return result;
  }

private:
  struct release {
    void operator()(cjose_jwk_t* x) const noexcept {
      cjose_jwk_release(x);
    }
  };

  signer(cjose_jwk_t* key, std::string kid, std::string alg)
    : x_key{key}, x_kid{std::move(kid)}, x_alg{std::move(alg)} {
    if (key == nullptr)
      throw std::runtime_error{"cannot make a key"};
  }

  std::unique_ptr<cjose_jwk_t, release> x_key;
  std::string x_kid;
  std::string x_alg;
};

/// Returns the JWKS of some keys.
inline std::string jwks(const std::vector<const signer*>& keys) {
  std::string result = "{\"keys\":[";
  for (const auto* x : keys) {
    if (!result.ends_with('['))
      result += ',';
    result += x->public_jwk();
  }
  return result + "]}";
}

} // namespace turnout::test
