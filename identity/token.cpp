#include "identity/token.hpp"

#include "core/identifiers.hpp"
#include "core/sodium.hpp"
#include "identity/jose.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace turnout::identity {

namespace {

namespace json = boost::json;

/// No provider's token is as long; spares parsing what cannot be one.
constexpr size_t max_token_bytes = 16 * 1024;

json::string_view to_json(std::string_view x) noexcept {
  return {x.data(), x.size()};
}

/// Returns whether `x` is three parts of base64url without padding, divided by
/// dots. The JOSE library takes more.
bool is_compact(std::string_view x) noexcept {
  auto dots = 0;
  auto before = '.';
  for (const auto c : x) {
    if (c == '.') {
      // No part is empty.
      if (before == '.')
        return false;
      ++dots;
    } else if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z')
               && !(c >= '0' && c <= '9') && c != '-' && c != '_') {
      return false;
    }
    before = c;
  }
  return dots == 2 && before != '.';
}

std::optional<algorithm> parse_algorithm(const char* name) noexcept {
  const std::string_view x{name == nullptr ? "" : name};
  if (x == "HS256")
    return algorithm::hs256;
  if (x == "RS256")
    return algorithm::rs256;
  if (x == "ES256")
    return algorithm::es256;
  return std::nullopt;
}

// -- claims -------------------------------------------------------------------

bool is_text(const json::value* x, std::string_view expected) {
  return x != nullptr && x->is_string() && x->get_string() == to_json(expected);
}

bool is_for(const json::value* audience, std::string_view expected) {
  if (audience == nullptr)
    return false;
  if (const auto* several = audience->if_array())
    return std::any_of(several->begin(), several->end(),
                       [&](const auto& x) { return is_text(&x, expected); });
  return is_text(audience, expected);
}

/// Returns a time in seconds since 1970; nullopt when it is no number.
std::optional<double> seconds_of(const json::value* x) {
  if (x == nullptr || !x->is_number())
    return std::nullopt;
  return x->to_number<double>();
}

bool is_true(const json::object& claims, std::string_view name) {
  if (const auto* x = claims.if_contains(to_json(name)))
    return x->is_bool() && x->get_bool();
  const auto dot = name.find('.');
  if (dot == std::string_view::npos)
    return false;
  const auto* x = claims.if_contains(to_json(name.substr(0, dot)));
  return x != nullptr && x->is_object()
         && is_true(x->get_object(), name.substr(dot + 1));
}

std::optional<session_claims>
read_claims(const json::object& x, const token_rules& rules, timestamp at) {
  const auto now = std::chrono::duration<double>(at.time_since_epoch()).count();
  const auto leeway = static_cast<double>(token_leeway.count());
  const auto end = seconds_of(x.if_contains("exp"));
  if (!end || !(now < *end + leeway))
    return std::nullopt;
  if (const auto* begin = x.if_contains("nbf")) {
    const auto seconds = seconds_of(begin);
    if (!seconds || !(now >= *seconds - leeway))
      return std::nullopt;
  }
  if (!rules.issuer.empty() && !is_text(x.if_contains("iss"), rules.issuer))
    return std::nullopt;
  if (!rules.audience.empty() && !is_for(x.if_contains("aud"), rules.audience))
    return std::nullopt;
  const auto* subject = x.if_contains("sub");
  if (subject == nullptr || !subject->is_string())
    return std::nullopt;
  const auto& text = subject->get_string();
  const auto id = uuid::parse({text.data(), text.size()});
  if (!id || !*id)
    return std::nullopt;
  session_claims result;
  result.subject = *id;
  // What is beyond the range of a timestamp is as good as its end.
  constexpr auto max_seconds = 200e9;
  result.expires_at = timestamp{std::chrono::duration_cast<timestamp::duration>(
    std::chrono::duration<double>(std::min(*end, max_seconds)))};
  if (const auto* email = x.if_contains("email"); email && email->is_string())
    result.email.assign(email->get_string().data(), email->get_string().size());
  result.api_access
    = rules.required_claim.empty() || is_true(x, rules.required_claim);
  return result;
}

std::optional<session_claims>
read_claims(cjose_jws_t* jws, const token_rules& rules, timestamp at) {
  uint8_t* bytes = nullptr;
  size_t size = 0;
  cjose_err err;
  // The bytes stay the library's.
  if (!cjose_jws_get_plaintext(jws, &bytes, &size, &err))
    return std::nullopt;
  json::error_code failure;
  const auto payload
    = json::parse({reinterpret_cast<const char*>(bytes), size}, failure);
  if (failure || !payload.is_object())
    return std::nullopt;
  return read_claims(payload.get_object(), rules, at);
}

// -- signature ----------------------------------------------------------------

/// Looks for the key that signed a token.
token_verdict::kind find_signer(cjose_jws_t* jws, algorithm alg,
                                std::string_view id, const key_set& keys) {
  using kind = token_verdict::kind;
  auto result = keys.may_grow() ? kind::unknown_key : kind::invalid;
  for (const auto& key : keys.keys()) {
    if (key.use != alg)
      continue;
    const auto is_named = !id.empty() && key.id == id;
    if (!id.empty() && !key.id.empty() && !is_named)
      continue;
    cjose_err err;
    if (cjose_jws_verify(jws, static_cast<cjose_jwk_t*>(key.handle.get()),
                         &err))
      return kind::valid;
    if (is_named)
      result = kind::invalid;
  }
  return result;
}

} // namespace

token_verdict verify_token(std::string_view token, const key_set& keys,
                           const token_rules& rules, timestamp at) {
  using kind = token_verdict::kind;
  token_verdict result;
  if (token.size() > max_token_bytes || !is_compact(token))
    return result;
  cjose_err err;
  jws_ptr jws{cjose_jws_import(token.data(), token.size(), &err)};
  if (!jws)
    return result;
  auto* header = cjose_jws_get_protected(jws.get());
  const auto alg
    = parse_algorithm(cjose_header_get(header, CJOSE_HDR_ALG, &err));
  // Who signs with public keys never signs with a secret, and the other way
  // round.
  if (!alg || keys.may_grow() == (*alg == algorithm::hs256))
    return result;
  // Extensions that must be understood are not.
  if (auto* critical = cjose_header_get_raw(header, "crit", &err)) {
    cjose_get_dealloc()(critical);
    return result;
  }
  // Claims first: a token that will not do whoever signed it is not worth
  // asking the provider for new keys.
  auto claims = read_claims(jws.get(), rules, at);
  if (!claims)
    return result;
  const auto* id = cjose_header_get(header, CJOSE_HDR_KID, &err);
  result.what = find_signer(jws.get(), *alg, id == nullptr ? "" : id, keys);
  if (result.what == kind::valid)
    result.claims = std::move(*claims);
  return result;
}

caf::expected<std::string> issue_token(const session_claims& claims,
                                       std::string_view secret,
                                       const token_rules& rules, timestamp at,
                                       std::chrono::seconds lifetime) {
  const auto now = std::chrono::floor<std::chrono::seconds>(at);
  json::object payload;
  payload["sub"] = claims.subject.str();
  payload["email"] = claims.email;
  payload["iat"] = now.time_since_epoch().count();
  payload["exp"] = (now + lifetime).time_since_epoch().count();
  if (!rules.issuer.empty())
    payload["iss"] = rules.issuer;
  if (!rules.audience.empty())
    payload["aud"] = rules.audience;
  const auto text = json::serialize(payload);
  cjose_err err;
  header_ptr header{cjose_header_new(&err)};
  jwk_ptr key{cjose_jwk_create_oct_spec(
    reinterpret_cast<const uint8_t*>(secret.data()), secret.size(), &err)};
  const char* result = nullptr;
  if (header && key
      && cjose_header_set(header.get(), CJOSE_HDR_ALG, CJOSE_HDR_ALG_HS256,
                          &err)
      && cjose_header_set(header.get(), "typ", "JWT", &err)) {
    jws_ptr jws{cjose_jws_sign(key.get(), header.get(),
                               reinterpret_cast<const uint8_t*>(text.data()),
                               text.size(), &err)};
    // The text stays the library's.
    if (jws && cjose_jws_export(jws.get(), &result, &err))
      return std::string{result};
  }
  return make_error(ec::internal, "a session token cannot be signed");
}

std::string make_refresh_token() {
  std::array<uint8_t, 32> bytes;
  random_bytes(bytes);
  std::string result(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(result.data(), result.size(), bytes.data(), bytes.size());
  result.pop_back();
  return result;
}

} // namespace turnout::identity
