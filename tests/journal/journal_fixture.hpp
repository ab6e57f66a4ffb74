#pragma once

#include "core/identifiers.hpp"
#include "journal/journal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace turnout::journal::test {

namespace fs = std::filesystem;

/// A journal directory of its own for each test.
class journal_fixture : public ::testing::Test {
protected:
  journal_fixture()
    : dir(fs::temp_directory_path()
          / ("turnout journal " + make_uuid(now()).str())) {
    // nop
  }

  ~journal_fixture() override {
    std::error_code ignored;
    fs::remove_all(dir, ignored);
  }

  report_function keep_reports() {
    return [this](const std::string& text) { reports.push_back(text); };
  }

  std::unique_ptr<writer> open_writer(int number = 0, int64_t stored = 0,
                                      const limits& bounds = {}) {
    auto result = writer::open(dir, number, stored, bounds, keep_reports());
    if (!result)
      throw std::runtime_error{detail(result.error())};
    return std::move(*result);
  }

  std::unique_ptr<reader> open_reader() {
    auto result = reader::open(dir, keep_reports());
    if (!result)
      throw std::runtime_error{detail(result.error())};
    return std::move(*result);
  }

  /// Reads everything after a position with a fresh reader.
  std::vector<entry> read_all(int number = 0, int64_t position = 0) {
    auto in = open_reader();
    std::vector<entry> result;
    for (;;) {
      auto some = in->read(number, position, 1000);
      if (!some)
        throw std::runtime_error{detail(some.error())};
      if (some->empty())
        return result;
      position = some->back().position;
      std::move(some->begin(), some->end(), std::back_inserter(result));
    }
  }

  /// The files of the directory whose names end so, sorted.
  std::vector<fs::path> files(const std::string& ending = ".journal") {
    std::vector<fs::path> result;
    for (auto& x : fs::directory_iterator{dir})
      if (x.path().native().ends_with(ending))
        result.push_back(x.path());
    std::sort(result.begin(), result.end());
    return result;
  }

  /// Overwrites bytes of a file; to its end if there are fewer.
  static void spoil(const fs::path& path, uintmax_t offset,
                    uintmax_t bytes = UINTMAX_MAX, char with = '\xa5') {
    const auto size = fs::file_size(path);
    ASSERT_LT(offset, size);
    overwrite(path, offset, std::string(std::min(bytes, size - offset), with));
  }

  static void overwrite(const fs::path& path, uintmax_t offset,
                        const std::string& bytes) {
    std::fstream out{path, std::ios::in | std::ios::out | std::ios::binary};
    out.seekp(static_cast<std::streamoff>(offset));
    out << bytes;
  }

  static std::string contents(const fs::path& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  fs::path dir;
  std::vector<std::string> reports;
};

/// Returns a click that `serial_of` recognises.
inline click numbered(int64_t serial) {
  click x;
  x.id = uuid{1, static_cast<uint64_t>(serial)};
  x.link_key = 7;
  x.visitor = serial;
  x.created_at = from_micros(1'790'000'000'000'000 + serial);
  x.ip_address = "203.0.113.0";
  x.user_agent = "agent " + std::to_string(serial);
  return x;
}

inline int64_t serial_of(const entry& x) {
  return std::get<click>(x.what).visitor;
}

/// Appends clicks `first` to `last` and commits them.
inline caf::error commit_numbered(writer& out, int64_t first, int64_t last) {
  for (auto i = first; i <= last; ++i)
    out.append(numbered(i));
  return out.commit();
}

/// Checks that the entries are the clicks `first` to `last` in order, with
/// rising positions.
inline ::testing::AssertionResult are_numbered(const std::vector<entry>& xs,
                                               int64_t first, int64_t last) {
  auto n = last - first + 1;
  if (static_cast<int64_t>(xs.size()) != n)
    return ::testing::AssertionFailure()
           << xs.size() << " entries instead of " << n;
  for (size_t i = 0; i < xs.size(); ++i) {
    if (serial_of(xs[i]) != first + static_cast<int64_t>(i))
      return ::testing::AssertionFailure()
             << "entry " << i << " is click " << serial_of(xs[i]);
    if (i > 0 && xs[i].position <= xs[i - 1].position)
      return ::testing::AssertionFailure() << "position of entry " << i;
  }
  return ::testing::AssertionSuccess();
}

} // namespace turnout::journal::test
