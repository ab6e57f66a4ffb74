#pragma once

#include "core/error.hpp"

#include <filesystem>
#include <string>

namespace turnout::identity {

/// Returns the secret in a file: 64 hexadecimal digits. Makes it, readable by
/// its owner only, when there is none; processes that do so at once get the
/// same one. Fails with `ec::config` and what to do.
caf::expected<std::string>
load_or_make_secret(const std::filesystem::path& file);

} // namespace turnout::identity
