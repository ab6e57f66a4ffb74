#pragma once

#include "journal/files.hpp"

#include <string>

namespace turnout::journal {

/// Version of the tables of a segment, its PRAGMA user_version.
inline constexpr int segment_format = 1;

/// More than the positions of a segment are ever apart, or than a power cut
/// takes.
inline constexpr int64_t position_span = 1'000'000'000'000;

/// Bytes of a page. Each commit takes at least one, so a commit of one event
/// takes half the disk that it would with SQLite's 4096, at the same speed.
inline constexpr int page_size = 2048;

/// Bytes of a -wal with this many pages, as SQLite's file format has it.
constexpr int64_t wal_bytes(int64_t pages) noexcept {
  return pages == 0 ? 0 : 32 + pages * (page_size + 24);
}

/// Makes an empty segment. Other connections see it complete or not at all.
/// Throws.
void create_segment(const segment_file& x);

/// Deletes what a crash may have left of `create_segment`.
void remove_unfinished(const std::filesystem::path& dir, int journal);

/// Returns what differs after each boot of the machine; empty if unknown.
std::string boot_id();

} // namespace turnout::journal
