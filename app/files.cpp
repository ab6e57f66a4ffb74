#include "app/files.hpp"

namespace turnout::app {

std::filesystem::path country_database(const settings& options) {
  namespace fs = std::filesystem;
  if (!options.geo.database.empty())
    return options.geo.database;
  std::error_code failure;
  const auto here = fs::read_symlink("/proc/self/exe", failure).parent_path();
  for (const auto& path :
       {here / "country.mmdb", here / "../share/turnout/country.mmdb"})
    if (fs::exists(path, failure))
      return path;
  return {};
}

} // namespace turnout::app
