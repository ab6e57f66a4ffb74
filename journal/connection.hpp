#pragma once

#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace turnout::journal {

/// What an exception of SOCI means for a segment.
enum class fault {
  /// The file is no segment any more, at least in part.
  damaged,
  /// A newer version of Turnout wrote it.
  too_new,
  /// The disk, the quota or the file size limit is used up.
  no_space,
  /// Another program has it locked.
  busy,
  /// Anything else: permissions, input and output errors.
  other,
};

/// Thrown inside this folder for what SQLite does not see by itself.
struct segment_error : std::runtime_error {
  segment_error(fault kind, const std::string& text)
    : std::runtime_error(text), kind(kind) {
    // nop
  }

  fault kind;
};

/// How a connection may use its segment.
enum class access {
  /// The file is made.
  create,
  /// The file exists; commits are not forced to the disk.
  write,
  /// The file exists; only queries (which need write access to the -shm file).
  read,
  /// The file exists; nothing but `raw` of it is used.
  sync,
};

/// An SQLite connection to one segment. It never checkpoints: neither by size
/// nor when it is closed. Throws.
class connection {
public:
  connection(const std::filesystem::path& path, access mode);

  soci::session& sql() noexcept {
    return x_sql;
  }

  /// Returns the handle of SQLite, for what SOCI has no words for.
  sqlite_api::sqlite3* raw();

  /// Throws `fault::too_new` or `fault::damaged` unless this is a segment that
  /// this version understands.
  void check_format();

private:
  soci::session x_sql;
};

/// Returns what SQLite said, without the SQL that SOCI adds.
std::string reason(const std::exception& x);

/// Says what an exception means.
/// @param system_errno errno as it was when the exception came, having been 0
///        before: SQLite reports EDQUOT and EFBIG as plain I/O errors.
fault classify(const std::exception& x, int system_errno) noexcept;

} // namespace turnout::journal
