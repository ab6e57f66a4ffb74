#include "identity/password.hpp"

#include "core/sodium.hpp"

#include <array>

namespace turnout::identity {

std::string hash_password(std::string_view password) {
  ensure_sodium();
  std::array<char, crypto_pwhash_STRBYTES> out{};
  if (crypto_pwhash_str_alg(out.data(), password.data(), password.size(),
                            crypto_pwhash_OPSLIMIT_INTERACTIVE,
                            crypto_pwhash_MEMLIMIT_INTERACTIVE,
                            crypto_pwhash_ALG_ARGON2ID13)
      != 0)
    return {};
  return out.data();
}

bool verify_password(const std::string& hash, std::string_view password) {
  ensure_sodium();
  // libsodium reads up to the first NUL only and must not take a hash for its
  // own beginning.
  if (hash.size() >= crypto_pwhash_STRBYTES
      || hash.find('\0') != std::string::npos)
    return false;
  return crypto_pwhash_str_verify(hash.c_str(), password.data(),
                                  password.size())
         == 0;
}

std::string make_password() {
  ensure_sodium();
  constexpr std::string_view alphabet
    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::string result(24, '\0');
  for (auto& c : result)
    c = alphabet[randombytes_uniform(static_cast<uint32_t>(alphabet.size()))];
  return result;
}

} // namespace turnout::identity
