#include "core/error.hpp"
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

caf::error cannot_sync(const fs::path& path, int system_errno) {
  return make_error(ec::journal,
                    "cannot force " + path.string() + " to the disk: "
                      + std::generic_category().message(system_errno));
}

// A new name needs fsync of its directory, the size of a file is within
// fdatasync.
caf::error sync_path(const fs::path& path, int flags, int (*sync)(int)) {
  const auto fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (fd == -1) {
    if (errno == ENOENT) // trimmed meanwhile
      return caf::error{};
    return cannot_sync(path, errno);
  }
  const auto rc = sync(fd);
  const auto why = errno;
  ::close(fd);
  return rc == -1 ? cannot_sync(path, why) : caf::error{};
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
  for (auto& x : *segments)
    note(sync_path(x.path, 0, ::fdatasync));
  note(sync_path(dir, O_DIRECTORY, ::fsync));
  return result;
}

} // namespace turnout::journal
