#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace turnout {

/// A file in a directory of its own that is removed with it.
class temporary_file {
public:
  temporary_file(const std::string& name, const std::string& text) {
    auto dir
      = (std::filesystem::temp_directory_path() / "turnout-XXXXXX").string();
    if (mkdtemp(dir.data()) == nullptr)
      std::abort();
    x_path = std::filesystem::path{dir} / name;
    std::ofstream{x_path} << text;
  }

  ~temporary_file() {
    std::error_code ignored;
    std::filesystem::remove_all(x_path.parent_path(), ignored);
  }

  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  const std::filesystem::path& path() const {
    return x_path;
  }

private:
  std::filesystem::path x_path;
};

} // namespace turnout
