#include "monitoring/log.hpp"

#include "core/time.hpp"
#include "monitoring/json_text.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>

namespace turnout::log {

namespace {

constexpr std::array<std::string_view, 4> names{"debug", "info", "warning",
                                                "error"};

std::atomic<level> lowest{level::info};

/// Keeps lines apart: a pipe takes only 4096 bytes at once.
std::mutex output;

void write_all(std::string_view text) noexcept {
  while (!text.empty()) {
    auto n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<size_t>(n));
    } else if (errno == EAGAIN) {
      // Whoever shares stderr made it non-blocking. A reader that stays away
      // for a second costs the line, not the service.
      pollfd fd{STDERR_FILENO, POLLOUT, 0};
      if (::poll(&fd, 1, 1000) <= 0)
        return;
    } else if (errno != EINTR) {
      return;
    }
  }
}

} // namespace

void set_level(level x) noexcept {
  lowest.store(x, std::memory_order_relaxed);
}

bool set_level(std::string_view name) noexcept {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) {
      set_level(static_cast<level>(i));
      return true;
    }
  }
  return false;
}

void write(level x, std::string_view message,
           std::initializer_list<field> fields) {
  if (x < lowest.load(std::memory_order_relaxed))
    return;
  std::string line = R"({"time":")";
  line += to_iso8601(now());
  line += R"(","level":")";
  line += names[static_cast<size_t>(x)];
  line += R"(","message":)";
  append_json_string(line, message);
  for (const auto& [name, value] : fields) {
    line += ',';
    append_json_string(line, name);
    line += ':';
    append_json_string(line, value);
  }
  line += "}\n";
  std::lock_guard guard{output};
  write_all(line);
}

} // namespace turnout::log
