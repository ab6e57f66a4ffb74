#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace turnout::plugins {

/// Makes the secret of a day from the system's CSPRNG, as stored text.
std::string make_secret();

/// Reads a stored secret.
std::array<uint8_t, 32> decode_secret(const std::string& text);

} // namespace turnout::plugins
