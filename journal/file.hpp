#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace turnout::journal {

/// An open file. Everything but the destructor throws `segment_error`.
class file {
public:
  /// Opens a file that exists, for reading.
  static file open(const std::filesystem::path& path);

  /// Makes a file, or empties it, that only its owner may read and write.
  static file create(const std::filesystem::path& path);

  file(file&& other) noexcept : x_fd(std::exchange(other.x_fd, -1)) {
    // nop
  }

  file& operator=(file&& other) noexcept {
    std::swap(x_fd, other.x_fd);
    return *this;
  }

  ~file();

  /// Writes all of `bytes` at the offset, or fails having written a part.
  void write(std::string_view bytes, int64_t offset) const;

  /// Reads at most `max` bytes from the offset into `to`; fewer only at the
  /// end.
  void read(std::string& to, size_t max, int64_t offset) const;

  /// Returns the bytes of the file.
  int64_t size() const;

  /// Forces it to the disk.
  void sync() const;

  /// Forces what can be read of it to the disk, a piece at a time and yielding
  /// the core in between.
  void sync_data() const;

  /// Cuts everything off from the offset.
  void truncate(int64_t offset) const;

private:
  explicit file(int fd) noexcept : x_fd(fd) {
    // nop
  }

  int x_fd;
};

/// Deletes a file, if there is one, a piece at a time and yielding the core in
/// between: a kernel that is not preemptive would keep it for milliseconds.
/// Throws `segment_error`, and then the file is still there.
void remove_file(const std::filesystem::path& path);

/// Renames a file; throws `segment_error`.
void rename_file(const std::filesystem::path& from,
                 const std::filesystem::path& to);

} // namespace turnout::journal
