#include "monitoring/process.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

namespace turnout {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

MetricFamily make(const char* name, const char* help, MetricType type,
                  double value) {
  MetricFamily result;
  result.name = name;
  result.help = help;
  result.type = type;
  ClientMetric metric;
  if (type == MetricType::Counter)
    metric.counter.value = value;
  else
    metric.gauge.value = value;
  result.metric.push_back(std::move(metric));
  return result;
}

/// The fields of /proc/self/stat after the name of the program, which may
/// itself hold spaces and brackets. Field 3 of proc(5) is at index 0.
std::vector<std::string> stat_fields() {
  std::ifstream in{"/proc/self/stat"};
  std::string line;
  std::getline(in, line);
  auto end = line.rfind(')');
  if (end == std::string::npos)
    return {};
  std::istringstream rest{line.substr(end + 1)};
  return {std::istream_iterator<std::string>{rest}, {}};
}

/// Seconds since the Unix epoch at which the system started.
std::optional<double> boot_time() {
  std::ifstream in{"/proc/stat"};
  std::string word;
  double value = 0;
  while (in >> word) {
    if (word == "btime" && in >> value)
      return value;
    in.ignore(1 << 20, '\n');
  }
  return std::nullopt;
}

/// Seconds since the Unix epoch at which the process started. Computed once:
/// the time of the boot moves with corrections of the clock, and a start that
/// moves looks like a restart.
std::optional<double> start_time(double after_boot) {
  static const auto boot = boot_time();
  if (!boot)
    return std::nullopt;
  return *boot + after_boot;
}

std::optional<double> open_files() {
  std::error_code err;
  std::filesystem::directory_iterator i{"/proc/self/fd", err};
  double n = 0;
  for (; !err && i != std::filesystem::directory_iterator{}; i.increment(err))
    n += 1;
  if (err)
    return std::nullopt;
  return n - 1; // without the one that reads the directory
}

} // namespace

std::vector<MetricFamily> collect_process() {
  constexpr auto gauge = MetricType::Gauge;
  std::vector<MetricFamily> result;
  auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  auto fields = stat_fields();
  if (fields.size() > 21) {
    auto at = [&](size_t i) { return std::strtod(fields[i].c_str(), nullptr); };
    result.push_back(make("process_cpu_seconds_total",
                          "User and system CPU time spent in seconds.",
                          MetricType::Counter, (at(11) + at(12)) / ticks));
    result.push_back(
      make("process_threads", "Number of threads.", gauge, at(17)));
    result.push_back(make("process_virtual_memory_bytes",
                          "Virtual memory size in bytes.", gauge, at(20)));
    result.push_back(make("process_resident_memory_bytes",
                          "Resident memory size in bytes.", gauge,
                          at(21) * page));
    if (auto start = start_time(at(19) / ticks))
      result.push_back(make("process_start_time_seconds",
                            "Start of the process in seconds since the Unix "
                            "epoch.",
                            gauge, *start));
  }
  if (auto n = open_files())
    result.push_back(
      make("process_open_fds", "Number of open file descriptors.", gauge, *n));
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
    result.push_back(make("process_max_fds",
                          "Maximum number of open file descriptors.", gauge,
                          static_cast<double>(limit.rlim_cur)));
  return result;
}

} // namespace turnout
