#include "journal/connection.hpp"
#include "journal/files.hpp"
#include "journal/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace turnout::journal {

namespace fs = std::filesystem;

namespace {

caf::error cannot_sync(const fs::path& path, const std::string& why) {
  return make_error(ec::journal,
                    "cannot force " + path.string() + " to the disk: " + why);
}

// For the -wal and the directory, which nobody locks.
caf::error sync_file(const fs::path& path, int flags) {
  auto fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (fd == -1) {
    if (errno == ENOENT) // trimmed meanwhile, or no commit yet
      return caf::error{};
    return cannot_sync(path, std::generic_category().message(errno));
  }
  // A new name needs fsync, the size of a file is within fdatasync.
  auto rc = flags == 0 ? ::fdatasync(fd) : ::fsync(fd);
  auto why = errno;
  ::close(fd);
  if (rc == -1)
    return cannot_sync(path, std::generic_category().message(why));
  return caf::error{};
}

// Through SQLite: closing a file of our own would take away the POSIX locks
// that this process has on it, and a sqlite3 shell could then think that nobody
// else uses the segment and delete the -wal.
caf::error sync_database(const fs::path& path) {
  using namespace sqlite_api;
  try {
    connection db{path, access::sync};
    sqlite3_file* file = nullptr;
    auto rc = sqlite3_file_control(db.raw(), "main", SQLITE_FCNTL_FILE_POINTER,
                                   &file);
    if (rc == SQLITE_OK && file != nullptr && file->pMethods != nullptr)
      rc = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
    if (rc != SQLITE_OK)
      return cannot_sync(path, sqlite3_errstr(rc));
  } catch (const std::exception& x) {
    std::error_code err;
    if (fs::exists(path, err) || err)
      return cannot_sync(path, reason(x));
  }
  return caf::error{};
}

} // namespace

caf::error sync_all(const fs::path& dir) {
  auto segments = list_segments(dir);
  if (!segments)
    return std::move(segments.error());
  // Goes on after a failure, so that one bad file harms no other one.
  caf::error result;
  auto note = [&result](caf::error err) {
    if (err && !result)
      result = std::move(err);
  };
  for (auto& x : *segments) {
    note(sync_database(x.path));
    note(sync_file(wal_of(x.path), 0));
  }
  note(sync_file(dir, O_DIRECTORY));
  return result;
}

} // namespace turnout::journal
