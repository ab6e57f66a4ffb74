#pragma once

#include <string>
#include <string_view>

namespace turnout::identity {

/// Returns the Argon2id string of a password (libsodium, interactive limits: 64
/// MiB and some 50 ms, so not on a reactor's thread). Empty when the memory
/// cannot be had; an empty hash verifies no password.
std::string hash_password(std::string_view password);

/// Returns whether a password belongs to an Argon2id string, in constant time.
/// Costs what `hash_password` costs. False for a string that is no hash.
bool verify_password(const std::string& hash, std::string_view password);

/// Makes a random password of 24 characters of [A-Za-z0-9].
std::string make_password();

} // namespace turnout::identity
