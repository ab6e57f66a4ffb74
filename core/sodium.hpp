#pragma once

#include <sodium.h>

#include <cstdlib>

namespace turnout {

/// Initialises libsodium before the first use; cheap when done already.
inline void ensure_sodium() noexcept {
  static const bool ok = [] {
    // Without a source of randomness no key and no id can be made.
    if (sodium_init() < 0)
      std::abort();
    return true;
  }();
  static_cast<void>(ok);
}

} // namespace turnout
