#include "tests/api/harness/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace turnout::test {

namespace {

using clock = std::chrono::steady_clock;

std::vector<char*> pointers(std::vector<std::string>& xs) {
  std::vector<char*> result;
  for (auto& x : xs)
    result.push_back(x.data());
  result.push_back(nullptr);
  return result;
}

int open_output(const std::filesystem::path& path) {
  auto fd
    = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0)
    throw std::runtime_error("cannot open " + path.string());
  return fd;
}

} // namespace

process::process(const std::vector<std::string>& argv, const environment& env,
                 const std::filesystem::path& out,
                 const std::filesystem::path& err,
                 const std::optional<std::string>& input) {
  auto args = argv;
  std::vector<std::string> vars;
  for (auto var = environ; *var != nullptr; ++var)
    if (std::strncmp(*var, "TURNOUT_", 8) != 0)
      vars.emplace_back(*var);
  for (auto& [name, value] : env)
    vars.push_back(name + "=" + value);
  auto argv_ptrs = pointers(args);
  auto env_ptrs = pointers(vars);
  auto out_fd = open_output(out);
  auto err_fd = open_output(err);
  int in_fds[2];
  if (::pipe2(in_fds, O_CLOEXEC) != 0)
    throw std::runtime_error("cannot make a pipe");
  x_pid = ::fork();
  if (x_pid < 0)
    throw std::runtime_error("cannot fork");
  if (x_pid == 0) {
    // Only async-signal-safe calls: the test program has threads.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(in_fds[0], 0);
    ::dup2(out_fd, 1);
    ::dup2(err_fd, 2);
    ::execve(argv_ptrs[0], argv_ptrs.data(), env_ptrs.data());
    static constexpr char text[] = "cannot execute the binary under test\n";
    [[maybe_unused]] auto n = ::write(2, text, sizeof(text) - 1);
    ::_exit(127);
  }
  ::close(in_fds[0]);
  ::close(out_fd);
  ::close(err_fd);
  if (input) {
    [[maybe_unused]] auto n = ::write(in_fds[1], input->data(), input->size());
  }
  ::close(in_fds[1]);
}

process::~process() {
  if (running()) {
    signal(SIGKILL);
    wait(std::chrono::seconds{10});
  }
}

void process::signal(int number) const {
  if (!x_status)
    ::kill(x_pid, number);
}

std::optional<int> process::wait(std::chrono::milliseconds bound) {
  auto end = clock::now() + bound;
  while (running() && clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  return x_status;
}

bool process::running() {
  if (x_status)
    return false;
  int status = 0;
  if (::waitpid(x_pid, &status, WNOHANG) != x_pid)
    return true;
  x_status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return false;
}

command_result run_command(const std::vector<std::string>& argv,
                           const environment& env,
                           const std::optional<std::string>& input) {
  temporary_directory dir;
  auto out = dir.path() / "out";
  auto err = dir.path() / "err";
  process child{argv, env, out, err, input};
  auto status = child.wait(std::chrono::seconds{60});
  return {status.value_or(-1000), read_file(out), read_file(err)};
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}

temporary_directory::temporary_directory() {
  auto text
    = (std::filesystem::temp_directory_path() / "turnout-api-XXXXXX").string();
  if (::mkdtemp(text.data()) == nullptr)
    throw std::runtime_error("cannot make a temporary directory");
  x_path = text;
}

temporary_directory::~temporary_directory() {
  std::error_code ignored;
  std::filesystem::remove_all(x_path, ignored);
}

} // namespace turnout::test
