#pragma once

#include "core/identifiers.hpp"

#include <filesystem>
#include <string>

namespace turnout::test {

/// A directory that goes with its object.
class temporary_directory {
public:
  explicit temporary_directory(const std::string& name = "turnout test")
    : x_path(std::filesystem::temp_directory_path()
             / (name + " " + make_uuid(now()).str())) {
    std::filesystem::create_directories(x_path);
  }

  temporary_directory(const temporary_directory&) = delete;

  temporary_directory& operator=(const temporary_directory&) = delete;

  ~temporary_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(x_path, ignored);
  }

  const std::filesystem::path& path() const noexcept {
    return x_path;
  }

private:
  std::filesystem::path x_path;
};

} // namespace turnout::test
