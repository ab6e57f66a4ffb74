#pragma once

#include "core/error.hpp"

namespace turnout {

/// How an error code is answered.
struct error_row {
  ec code;
  int status;
  /// Value of Retry-After in seconds, or nullptr.
  const char* retry_after;
  /// Sentence for the client instead of the error's own, which may tell of
  /// paths or SQL, or where it is always the same; nullptr passes the error's
  /// own on.
  const char* detail;
};

/// Returns the row of a code.
const error_row& row_of(ec code) noexcept;

} // namespace turnout
