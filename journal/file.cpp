#include "journal/file.hpp"

#include "core/core_turn.hpp"
#include "journal/fault.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace turnout::journal {

namespace {

/// Bytes that the kernel deletes or writes in some 50 microseconds.
constexpr off_t piece = off_t{1} << 20;

int open_or_throw(const std::filesystem::path& path, int flags) {
  const auto fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (fd == -1)
    throw failed_call("open", errno);
  return fd;
}

/// Cuts a file that has no name any more off, a piece at a time and but for the
/// first one: who copies it still finds its head. One that has another name, as
/// in a backup by hard links, stays as it is.
void shorten_unnamed(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) == -1 || info.st_nlink > 0)
    return;
  core_turn turn;
  for (auto size = (info.st_size - 1) / piece * piece; size >= piece;
       size -= piece) {
    if (::ftruncate(fd, size) == -1)
      return;
    turn.yield_if_over();
  }
}

} // namespace

file file::open(const std::filesystem::path& path) {
  return file{open_or_throw(path, O_RDONLY)};
}

file file::create(const std::filesystem::path& path) {
  return file{open_or_throw(path, O_WRONLY | O_CREAT | O_TRUNC)};
}

file::~file() {
  if (x_fd != -1)
    ::close(x_fd);
}

void file::write(std::string_view bytes, int64_t offset) const {
  while (!bytes.empty()) {
    const auto n = ::pwrite(x_fd, bytes.data(), bytes.size(), offset);
    if (n == -1 && errno == EINTR)
      continue;
    if (n == -1)
      throw failed_call("write", errno);
    bytes.remove_prefix(static_cast<size_t>(n));
    offset += n;
  }
}

void file::read(std::string& to, size_t max, int64_t offset) const {
  to.resize(max);
  size_t size = 0;
  while (size < max) {
    const auto n = ::pread(x_fd, to.data() + size, max - size,
                           offset + static_cast<int64_t>(size));
    if (n == -1 && errno == EINTR)
      continue;
    if (n == -1)
      throw failed_call("read", errno);
    if (n == 0)
      break;
    size += static_cast<size_t>(n);
  }
  to.resize(size);
}

void file::sync_data() const {
  // No more than a hint, which a file system need not know: what counts is the
  // call after it.
  core_turn turn;
  const auto end = size();
  for (off_t at = 0; at < end; at += piece) {
    if (::sync_file_range(x_fd, at, piece, SYNC_FILE_RANGE_WRITE) == -1)
      break;
    turn.yield_if_over();
  }
  if (::fdatasync(x_fd) == -1)
    throw failed_call("sync", errno);
}

int64_t file::size() const {
  struct stat info {};
  if (::fstat(x_fd, &info) == -1)
    throw failed_call("stat", errno);
  return info.st_size;
}

void file::sync() const {
  if (::fsync(x_fd) == -1)
    throw failed_call("sync", errno);
}

void file::truncate(int64_t offset) const {
  if (::ftruncate(x_fd, offset) == -1)
    throw failed_call("truncate", errno);
}

void remove_file(const std::filesystem::path& path) {
  // Without a descriptor it is deleted at once.
  const auto fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const auto result = ::unlink(path.c_str());
  const auto failure = errno;
  if (fd != -1) {
    if (result == 0)
      shorten_unnamed(fd);
    ::close(fd);
  }
  if (result == -1 && failure != ENOENT)
    throw failed_call("delete", failure);
}

void rename_file(const std::filesystem::path& from,
                 const std::filesystem::path& to) {
  if (std::rename(from.c_str(), to.c_str()) == -1)
    throw failed_call("rename", errno);
}

} // namespace turnout::journal
