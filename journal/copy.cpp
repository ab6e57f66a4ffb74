#include "journal/copy.hpp"

#include "journal/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace turnout::journal {

namespace fs = std::filesystem;

namespace {

/// A descriptor that is closed at the end; -1 for none.
class descriptor {
public:
  descriptor(const fs::path& path, int flags)
    : x_fd(::open(path.c_str(), flags | O_CLOEXEC, S_IRUSR | S_IWUSR)) {
    // nop
  }

  descriptor(const descriptor&) = delete;

  descriptor& operator=(const descriptor&) = delete;

  ~descriptor() {
    if (x_fd != -1)
      ::close(x_fd);
  }

  int get() const noexcept {
    return x_fd;
  }

private:
  int x_fd;
};

caf::error failed(const char* what, const fs::path& path) {
  return make_error(ec::journal, std::string{"cannot "} + what + " "
                                   + path.string() + ": "
                                   + std::generic_category().message(errno));
}

bool write_all(int fd, const char* data, size_t size) {
  while (size > 0) {
    const auto n = ::write(fd, data, size);
    if (n < 0 && errno != EINTR)
      return false;
    if (n > 0) {
      data += n;
      size -= static_cast<size_t>(n);
    }
  }
  return true;
}

/// Copies what an open file has now; it may grow meanwhile.
caf::error copy(int in, const fs::path& from, const fs::path& to) {
  struct stat info {};
  if (::fstat(in, &info) != 0)
    return failed("read", from);
  descriptor out{to, O_WRONLY | O_CREAT | O_EXCL};
  if (out.get() == -1)
    return failed("make", to);
  std::array<char, 1 << 16> buf;
  for (auto left = info.st_size; left > 0;) {
    const auto n
      = ::read(in, buf.data(), std::min(buf.size(), static_cast<size_t>(left)));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return failed("read", from);
    if (n == 0)
      break;
    if (!write_all(out.get(), buf.data(), static_cast<size_t>(n)))
      return failed("write", to);
    left -= n;
  }
  if (::fsync(out.get()) != 0)
    return failed("write", to);
  return caf::error{};
}

/// Copies a segment, unless it is gone. No checkpoint ever changes its main
/// file, and commits only append to its -wal, so that what these have now is a
/// segment as it was at that time. The end of the -wal may be half a commit,
/// which SQLite passes over.
caf::error copy_segment(const fs::path& from, const fs::path& to) {
  descriptor file{from, O_RDONLY};
  if (file.get() == -1)
    return errno == ENOENT ? caf::error{} : failed("read", from);
  // Opened before anything is copied: what is deleted later is copied still.
  // When the -wal is gone already, all that it had is stored.
  const auto wal_path = wal_of(from);
  descriptor wal{wal_path, O_RDONLY};
  if (wal.get() == -1 && errno != ENOENT)
    return failed("read", wal_path);
  if (auto err = copy(file.get(), from, to))
    return err;
  return wal.get() == -1 ? caf::error{} : copy(wal.get(), wal_path, wal_of(to));
}

} // namespace

caf::error copy_file(const fs::path& from, const fs::path& to) {
  descriptor in{from, O_RDONLY};
  if (in.get() == -1)
    return errno == ENOENT ? caf::error{} : failed("read", from);
  return copy(in.get(), from, to);
}

caf::error sync_directory(const fs::path& dir) {
  descriptor opened{dir, O_RDONLY | O_DIRECTORY};
  if (opened.get() == -1 || ::fsync(opened.get()) != 0)
    return failed("write", dir);
  return caf::error{};
}

caf::error copy_segments(const fs::path& from, const fs::path& to) {
  if (auto err = make_private_directory(to))
    return err;
  std::error_code ignored;
  if (!fs::exists(from, ignored))
    return caf::error{};
  auto segments = list_segments(from);
  if (!segments)
    return std::move(segments.error());
  for (const auto& x : *segments)
    if (auto err = copy_segment(x.path, to / x.path.filename()))
      return err;
  return sync_directory(to);
}

} // namespace turnout::journal
