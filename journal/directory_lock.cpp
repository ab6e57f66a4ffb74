#include "journal/directory_lock.hpp"

#include "journal/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace turnout::journal {

namespace {

// The holder's process id as it wrote it; empty if it is not to be read.
std::string holder(int fd) {
  char buf[24];
  auto n = ::pread(fd, buf, sizeof(buf), 0);
  std::string result;
  for (ssize_t i = 0; i < n && buf[i] >= '0' && buf[i] <= '9'; ++i)
    result += buf[i];
  return result;
}

} // namespace

caf::expected<directory_lock>
directory_lock::acquire(const std::filesystem::path& dir) {
  if (auto err = make_private_directory(dir))
    return err;
  auto path = dir / "lock";
  auto fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd == -1)
    return make_error(ec::journal, "cannot open " + path.string() + ": "
                                     + std::generic_category().message(errno));
  directory_lock result{fd};
  if (::flock(fd, LOCK_EX | LOCK_NB) == -1) {
    if (errno != EWOULDBLOCK)
      return make_error(ec::journal,
                        "cannot lock " + path.string() + ": "
                          + std::generic_category().message(errno));
    auto pid = holder(fd);
    return make_error(ec::journal,
                      "data directory " + dir.string()
                        + " is in use by another serving process"
                        + (pid.empty() ? pid : " (pid " + pid + ")")
                        + "; stop that one first or use another directory");
  }
  // The id is for people only, so a full disk is no reason to fail.
  auto pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd, 0) == 0) [[maybe_unused]]
    auto n = ::pwrite(fd, pid.data(), pid.size(), 0);
  return result;
}

directory_lock::~directory_lock() {
  if (x_fd != -1)
    ::close(x_fd);
}

} // namespace turnout::journal
