#include "identity/key_set.hpp"

#include "identity/jose.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <utility>

namespace turnout::identity {

namespace {

namespace json = boost::json;

/// No provider has as many; bounds what a token without a key id may cost.
constexpr size_t max_keys = 64;

constexpr size_t min_rsa_bits = 2048;

std::string_view text_of(const json::object& x, std::string_view name) {
  const auto* member = x.if_contains(name);
  if (member == nullptr || !member->is_string())
    return {};
  const auto& text = member->get_string();
  return {text.data(), text.size()};
}

/// Returns the algorithm that a key verifies; nullopt for one that we have no
/// use for.
std::optional<algorithm> use_of(const json::object& x, const cjose_jwk_t* jwk) {
  const auto use = text_of(x, "use");
  if (!use.empty() && use != "sig")
    return std::nullopt;
  const auto alg = text_of(x, "alg");
  const auto fits
    = [alg](std::string_view name) { return alg.empty() || alg == name; };
  cjose_err err;
  switch (cjose_jwk_get_kty(jwk, &err)) {
    case CJOSE_JWK_KTY_RSA:
      if (fits("RS256") && cjose_jwk_get_keysize(jwk, &err) >= min_rsa_bits)
        return algorithm::rs256;
      return std::nullopt;
    case CJOSE_JWK_KTY_EC:
      if (fits("ES256")
          && cjose_jwk_EC_get_curve(jwk, &err) == CJOSE_JWK_EC_P_256)
        return algorithm::es256;
      return std::nullopt;
    default:
      // A secret has no place in a public document.
      return std::nullopt;
  }
}

std::optional<key_set::key> read_key(const json::value& x) {
  const auto* object = x.if_object();
  if (object == nullptr)
    return std::nullopt;
  const auto text = json::serialize(*object);
  cjose_err err;
  jwk_ptr jwk{cjose_jwk_import(text.data(), text.size(), &err)};
  if (!jwk)
    return std::nullopt;
  const auto use = use_of(*object, jwk.get());
  if (!use)
    return std::nullopt;
  return key_set::key{std::string{text_of(*object, "kid")}, *use,
                      std::shared_ptr<cjose_jwk_t>{std::move(jwk)}};
}

} // namespace

caf::expected<std::shared_ptr<const key_set>>
key_set::from_jwks(std::string_view text) {
  json::error_code failure;
  const auto document
    = json::parse(json::string_view{text.data(), text.size()}, failure);
  const auto* object = failure ? nullptr : document.if_object();
  const auto* keys = object ? object->if_contains("keys") : nullptr;
  if (keys == nullptr || !keys->is_array())
    return make_error(ec::invalid,
                      "what came is not a JWKS: {\"keys\": [...]}");
  auto result = std::make_shared<key_set>();
  result->x_may_grow = true;
  for (const auto& x : keys->get_array())
    if (auto key = read_key(x); key && result->x_keys.size() < max_keys)
      result->x_keys.push_back(std::move(*key));
  if (result->x_keys.empty())
    return make_error(ec::invalid, "the JWKS has no RSA (2048 bits or more) or "
                                   "P-256 key for signatures");
  return std::shared_ptr<const key_set>{std::move(result)};
}

caf::expected<std::shared_ptr<const key_set>>
key_set::from_secret(std::string_view secret) {
  cjose_err err;
  jwk_ptr jwk{cjose_jwk_create_oct_spec(
    reinterpret_cast<const uint8_t*>(secret.data()), secret.size(), &err)};
  if (!jwk)
    return make_error(ec::invalid, "the secret for session tokens is empty");
  auto result = std::make_shared<key_set>();
  result->x_keys.push_back(
    {{}, algorithm::hs256, std::shared_ptr<cjose_jwk_t>{std::move(jwk)}});
  return std::shared_ptr<const key_set>{std::move(result)};
}

std::shared_ptr<const key_set> key_set::not_fetched() {
  auto result = std::make_shared<key_set>();
  result->x_may_grow = true;
  return result;
}

} // namespace turnout::identity
