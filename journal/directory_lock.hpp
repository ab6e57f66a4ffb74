#pragma once

#include "core/error.hpp"

#include <filesystem>
#include <utility>

namespace turnout::journal {

/// Keeps a second serving process out of a data directory: an advisory lock on
/// its file "lock", which the kernel takes back however the process ends.
class directory_lock {
public:
  /// Locks `dir`, which is created if need be. Fails at once when somebody else
  /// holds the lock; the error names the directory and the holder.
  static caf::expected<directory_lock>
  acquire(const std::filesystem::path& dir);

  directory_lock(directory_lock&& other) noexcept
    : x_fd(std::exchange(other.x_fd, -1)) {
    // nop
  }

  directory_lock& operator=(directory_lock&& other) noexcept {
    std::swap(x_fd, other.x_fd);
    return *this;
  }

  ~directory_lock();

private:
  explicit directory_lock(int fd) noexcept : x_fd(fd) {
    // nop
  }

  int x_fd;
};

} // namespace turnout::journal
