#include "core/identifiers.hpp"

#include "core/rules.hpp"
#include "core/sodium.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace turnout {

namespace {

constexpr std::string_view slug_alphabet
  = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

constexpr std::string_view key_alphabet
  = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

constexpr size_t random_part = 32;

/// A CSPRNG of one thread: ChaCha20 under a key from the system, read in
/// blocks. The head of each block is the key of the next one and bytes are
/// wiped when handed out, so that a look at the memory reveals nothing of the
/// past. One system call per thread, none per number.
class thread_random {
public:
  void fill(uint8_t* out, size_t n) noexcept {
    while (n > 0) {
      if (x_pos == x_block.size())
        refill();
      auto len = std::min(n, x_block.size() - x_pos);
      std::memcpy(out, x_block.data() + x_pos, len);
      std::memset(x_block.data() + x_pos, 0, len);
      x_pos += len;
      out += len;
      n -= len;
    }
  }

private:
  static constexpr size_t key_size = crypto_stream_chacha20_KEYBYTES;

  void refill() noexcept {
    if (!x_seeded) {
      ensure_sodium();
      randombytes_buf(x_block.data(), key_size);
      x_seeded = true;
    }
    std::array<uint8_t, key_size> key;
    std::memcpy(key.data(), x_block.data(), key_size);
    // Each key is used for one block only, so the nonce may stay.
    constexpr std::array<uint8_t, crypto_stream_chacha20_NONCEBYTES> nonce{};
    crypto_stream_chacha20(x_block.data(), x_block.size(), nonce.data(),
                           key.data());
    sodium_memzero(key.data(), key.size());
    x_pos = key_size;
  }

  std::array<uint8_t, 2048> x_block{};
  size_t x_pos = 2048;
  bool x_seeded = false;
};

constinit thread_local thread_random generator;

uint64_t random_u64() noexcept {
  uint64_t result;
  generator.fill(reinterpret_cast<uint8_t*>(&result), sizeof(result));
  return result;
}

std::string random_text(std::string_view alphabet, size_t length) {
  // Bytes at or above the largest multiple would favour the first characters.
  auto limit = 256 - 256 % alphabet.size();
  std::string result;
  result.reserve(length);
  while (result.size() < length) {
    uint8_t byte;
    generator.fill(&byte, 1);
    if (byte < limit)
      result += alphabet[byte % alphabet.size()];
  }
  return result;
}

/// The generator PCG32 (XSH RR 64/32).
class pcg32 {
public:
  uint32_t next() noexcept {
    if (x_increment == 0) {
      x_state = random_u64();
      x_increment = random_u64() | 1;
    }
    auto old = x_state;
    x_state = old * 6364136223846793005ull + x_increment;
    auto mixed = static_cast<uint32_t>(((old >> 18) ^ old) >> 27);
    return std::rotr(mixed, static_cast<int>(old >> 59));
  }

private:
  uint64_t x_state = 0;
  uint64_t x_increment = 0; // odd once seeded
};

constinit thread_local pcg32 draws;

} // namespace

void random_bytes(std::span<uint8_t> out) noexcept {
  ensure_sodium();
  if (!out.empty())
    randombytes_buf(out.data(), out.size());
}

uint32_t fast_random() noexcept {
  return draws.next();
}

uuid make_uuid(timestamp at) noexcept {
  using namespace std::chrono;
  auto ms = floor<milliseconds>(at).time_since_epoch().count();
  auto time = static_cast<uint64_t>(std::max<int64_t>(ms, 0));
  uint64_t random[2];
  generator.fill(reinterpret_cast<uint8_t*>(random), sizeof(random));
  uuid result;
  result.hi = (time << 16) | 0x7000 | (random[0] & 0x0fff);
  result.lo = (random[1] >> 2) | 0x8000'0000'0000'0000ull;
  return result;
}

timestamp time_of(const uuid& id) noexcept {
  return timestamp{
    std::chrono::milliseconds{static_cast<int64_t>(id.hi >> 16)}};
}

std::string make_slug(size_t length) {
  std::string result;
  do {
    result = random_text(slug_alphabet, length);
  } while (is_reserved_slug(result));
  return result;
}

std::string make_key(key_type type) {
  return prefix_of(type) + random_text(key_alphabet, random_part);
}

std::optional<key_type> type_of_key(std::string_view key) noexcept {
  for (auto type : {key_type::secret, key_type::publishable, key_type::live}) {
    std::string_view prefix = prefix_of(type);
    if (!key.starts_with(prefix))
      continue;
    auto rest = key.substr(prefix.size());
    if (rest.size() == random_part
        && rest.find_first_not_of(key_alphabet) == std::string_view::npos)
      return type;
  }
  return std::nullopt;
}

std::string key_prefix(std::string_view key) {
  auto type = type_of_key(key);
  if (!type)
    return {};
  auto shown = std::string_view{prefix_of(*type)}.size() + 4;
  return std::string{key.substr(0, shown)};
}

std::string sha256_hex(std::string_view text) {
  std::array<uint8_t, crypto_hash_sha256_BYTES> digest;
  crypto_hash_sha256(
    digest.data(), reinterpret_cast<const uint8_t*>(text.data()), text.size());
  std::string result(2 * digest.size() + 1, '\0');
  sodium_bin2hex(result.data(), result.size(), digest.data(), digest.size());
  result.pop_back();
  return result;
}

} // namespace turnout
