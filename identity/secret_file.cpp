#include "identity/secret_file.hpp"

#include "core/hex.hpp"
#include "core/identifiers.hpp"
#include "identity/token.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace turnout::identity {

namespace {

constexpr size_t secret_length = 64;

caf::error failed(const char* what, const std::filesystem::path& file) {
  return make_error(ec::config, std::string{"cannot "} + what + ' '
                                  + file.string() + ": " + std::strerror(errno)
                                  + "; check permissions and space");
}

/// Writes a file that its owner alone may read, to the disk.
bool write_file(const std::string& path, const std::string& text) {
  const auto fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                         S_IRUSR | S_IWUSR);
  if (fd < 0)
    return false;
  const auto written = ::write(fd, text.data(), text.size());
  const auto ok
    = written == static_cast<ssize_t>(text.size()) && ::fsync(fd) == 0;
  const auto reason = errno;
  ::close(fd);
  errno = reason;
  return ok;
}

/// Puts a new secret where none is.
caf::error make_secret(const std::filesystem::path& file) {
  const auto draft = file.string() + "." + make_uuid(now()).str();
  if (!write_file(draft, make_refresh_token() + '\n')) {
    auto err = failed("write", draft);
    ::unlink(draft.c_str());
    return err;
  }
  // Unlike renaming, linking leaves the file of a process that was faster.
  caf::error result;
  if (::link(draft.c_str(), file.c_str()) != 0 && errno != EEXIST)
    result = failed("make", file);
  ::unlink(draft.c_str());
  return result;
}

} // namespace

caf::expected<std::string>
load_or_make_secret(const std::filesystem::path& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) {
    if (errno != ENOENT)
      return failed("read", file);
    if (auto err = make_secret(file))
      return err;
  }
  // A copy from a backup may have come with another mode.
  if (::chmod(file.c_str(), S_IRUSR | S_IWUSR) != 0)
    return failed("protect", file);
  std::string result;
  if (std::ifstream in{file}; in)
    in >> result;
  if (result.size() != secret_length
      || !std::all_of(result.begin(), result.end(),
                      [](char c) { return hex_value(c) >= 0; }))
    return make_error(ec::config,
                      file.string()
                        + " does not hold a secret of 64 hexadecimal digits; "
                          "restore it, or delete it (all users must then sign "
                          "in again)");
  return result;
}

} // namespace turnout::identity
