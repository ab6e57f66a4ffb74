#pragma once

#include <string>
#include <string_view>

namespace turnout::identity {

/// Returns the Argon2id string of a password (libsodium, interactive limits).
std::string hash_password(std::string_view password);

/// Returns whether a password belongs to an Argon2id string, in constant time.
bool verify_password(const std::string& hash, std::string_view password);

/// Makes a random password of 24 characters of [A-Za-z0-9].
std::string make_password();

} // namespace turnout::identity
