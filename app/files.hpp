#pragma once

#include "config/settings.hpp"

#include <filesystem>

namespace turnout::app {

/// Returns the country database to use: the configured one, or the one that
/// the build put beside the executable or the installation under
/// share/turnout; empty when there is none.
std::filesystem::path country_database(const settings& options);

} // namespace turnout::app
