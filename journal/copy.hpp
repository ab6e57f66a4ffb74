#pragma once

#include "core/error.hpp"

#include <filesystem>

namespace turnout::journal {

/// Copies the segments of a journal directory into another one, which is made,
/// to the disk, while others write, read and delete them: every event that was
/// committed before the call is in the copy, unless it was trimmed, that is,
/// stored.
caf::error copy_segments(const std::filesystem::path& from,
                         const std::filesystem::path& to);

/// Copies a file to the disk, to be read by its owner only; one that is not
/// there is no error.
caf::error copy_file(const std::filesystem::path& from,
                     const std::filesystem::path& to);

/// Forces the names in a directory to the disk.
caf::error sync_directory(const std::filesystem::path& dir);

} // namespace turnout::journal
