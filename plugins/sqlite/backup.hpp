#pragma once

#include "core/error.hpp"
#include "storage/backend.hpp"

#include <filesystem>

namespace turnout::sqlite {

/// Writes a copy of turnout.db into the directory `to`, as it is at one moment
/// after the call, to the disk. Others may write meanwhile. Never throws.
caf::error back_up(const storage::backend_settings& settings,
                   const std::filesystem::path& to) noexcept;

} // namespace turnout::sqlite
