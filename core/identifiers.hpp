#pragma once

#include "core/model.hpp"
#include "core/time.hpp"
#include "core/uuid.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace turnout {

/// Fills `out` from the system's CSPRNG.
void random_bytes(std::span<uint8_t> out) noexcept;

/// Returns uniformly random 32 bits, cheaply: a per-thread generator that is
/// seeded from the CSPRNG. For draws, not for secrets.
uint32_t fast_random() noexcept;

/// Makes a UUIDv7 of the given time: 48 bits of milliseconds, then random bits
/// from a per-thread CSPRNG buffer.
uuid make_uuid(timestamp at) noexcept;

/// Returns the time of a UUIDv7, in whole milliseconds.
timestamp time_of(const uuid& id) noexcept;

/// Makes a slug of `length` characters from the CSPRNG, without the look-alikes
/// 0 O 1 l I.
std::string make_slug(size_t length);

/// Makes a full API key: the type's prefix and 32 characters of [A-Za-z0-9].
std::string make_key(key_type type);

/// Returns the type of a well-formed full key; nullopt for anything else.
std::optional<key_type> type_of_key(std::string_view key) noexcept;

/// Returns what a key list shows: the prefix and the first 4 random characters.
std::string key_prefix(std::string_view key);

/// Returns the lower-case hex SHA-256 of `text`.
std::string sha256_hex(std::string_view text);

} // namespace turnout
