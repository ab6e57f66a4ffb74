#pragma once

#include <stdexcept>
#include <string>

namespace turnout::journal {

/// What keeps a segment from being used.
enum class fault {
  /// The file is no segment any more, at least in part.
  damaged,
  /// Another version of Turnout wrote it.
  other_format,
  /// The disk, the quota or the file size limit is used up.
  no_space,
  /// Anything else: permissions, input and output errors.
  other,
};

/// Thrown inside this folder for a segment that cannot be used.
struct segment_error : std::runtime_error {
  segment_error(fault kind, const std::string& text)
    : std::runtime_error(text), kind(kind) {
    // nop
  }

  fault kind;
};

/// Makes the error of a system call that failed.
segment_error failed_call(const char* what, int system_errno);

} // namespace turnout::journal
