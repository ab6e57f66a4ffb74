#pragma once

#include "core/error.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace turnout::journal {

// The files of a journal directory. A segment is `<journal>-<first>.journal`.

/// A segment by its name.
struct segment_file {
  int journal = 0;
  /// No event of the segment has a smaller position. 20 digits in the name, so
  /// that names sort like positions.
  int64_t first = 0;
  std::filesystem::path path;
};

/// Returns where the segment is to be found.
segment_file make_segment_file(const std::filesystem::path& dir, int journal,
                               int64_t first);

/// Parses a file name; nullopt for files that are no segment.
std::optional<segment_file> parse_segment_name(std::string_view name);

/// Returns where a segment is made before it gets its name.
std::filesystem::path unfinished_segment(const std::filesystem::path& dir,
                                         int journal);

/// Lists the segments of one journal (nullopt: of all), by journal and first
/// position.
caf::expected<std::vector<segment_file>>
list_segments(const std::filesystem::path& dir,
              std::optional<int> journal = std::nullopt);

/// Returns the bytes of a segment; 0 when it is gone.
int64_t segment_bytes(const std::filesystem::path& path);

/// Whether there is no such file any more.
bool is_gone(const std::filesystem::path& path);

/// Deletes a segment. It is no error when it is gone.
caf::error remove_segment(const std::filesystem::path& path);

/// Renames a damaged segment to *.corrupt.
caf::error set_aside(const std::filesystem::path& path);

/// Makes a directory that only its owner may enter, for visits are personal;
/// one that exists stays as it is.
caf::error make_private_directory(const std::filesystem::path& dir);

} // namespace turnout::journal
