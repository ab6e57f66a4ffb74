#include "tests/api/harness/recorder.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>

namespace turnout::test {

namespace {

constexpr int max_alike = 20;

constexpr size_t max_file_bytes = 16 * 1024 * 1024;

/// Longer bodies are only counted.
constexpr size_t max_body_bytes = 256 * 1024;

bool is_text(const response& x) {
  auto [i, end] = x.headers.equal_range("content-type");
  return i != end
         && (i->second.rfind("application/json", 0) == 0
             || i->second.rfind("text/", 0) == 0);
}

class recorder {
public:
  recorder() {
    auto dir = std::getenv("TURNOUT_TEST_RECORD_DIR");
    if (dir == nullptr || *dir == '\0')
      return;
    auto where = std::filesystem::path{dir} / std::to_string(::getppid());
    std::filesystem::create_directories(where);
    x_file.open(where / (std::to_string(::getpid()) + ".jsonl"),
                std::ios::app | std::ios::binary);
    if (!x_file)
      throw std::runtime_error("cannot write to " + where.string());
  }

  void leave_out(uint16_t port) {
    std::lock_guard guard{x_mtx};
    x_left_out.insert(port);
  }

  void add(uint16_t port, const std::string& method, const std::string& path,
           const std::string& request_body, const response& answer) {
    std::lock_guard guard{x_mtx};
    if (!x_file.is_open() || x_left_out.count(port) > 0
        || x_bytes > max_file_bytes
        || ++x_seen[method + path + std::to_string(answer.status)] > max_alike)
      return;
    json::object line;
    if (auto test = testing::UnitTest::GetInstance()->current_test_info())
      line["test"] = std::string{test->test_suite_name()} + '.' + test->name();
    line["method"] = method;
    line["path"] = path;
    if (request_body.size() <= max_body_bytes)
      line["request_body"] = request_body;
    line["status"] = answer.status;
    json::array headers;
    for (auto& [name, value] : answer.headers)
      headers.push_back(json::array{json::string{name}, json::string{value}});
    line["headers"] = std::move(headers);
    line["body_size"] = answer.body.size();
    if (is_text(answer) && answer.body.size() <= max_body_bytes)
      line["body"] = answer.body;
    auto text = json::serialize(line) + '\n';
    x_bytes += text.size();
    // At once: a test may end by a signal.
    x_file << text << std::flush;
  }

private:
  std::mutex x_mtx;
  std::ofstream x_file;
  size_t x_bytes = 0;
  std::map<std::string, int> x_seen;
  std::set<uint16_t> x_left_out;
};

recorder& instance() {
  static recorder result;
  return result;
}

} // namespace

void record_exchange(uint16_t port, const std::string& method,
                     const std::string& path, const std::string& request_body,
                     const response& answer) {
  instance().add(port, method, path, request_body, answer);
}

void record_nothing_of(uint16_t port) {
  instance().leave_out(port);
}

} // namespace turnout::test
