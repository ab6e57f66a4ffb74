#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace turnout::journal {

// A segment is a head and frames behind each other. A frame holds the events of
// one commit, which have consecutive positions. Numbers are little-endian.

/// Version of the bytes of a segment. (1 was an SQLite database.)
inline constexpr uint32_t segment_format = 2;

/// More than the positions of a segment are ever apart, or than a power cut
/// takes.
inline constexpr int64_t position_span = 1'000'000'000'000;

/// The first bytes of a segment.
struct segment_head {
  char magic[16];
  uint32_t format;
  /// Boot of the machine that made it, as the kernel names it.
  char boot[36];
  /// Of all before it.
  uint64_t checksum;
};

static_assert(sizeof(segment_head) == 64);

/// The first bytes of a frame.
struct frame_head {
  /// `frame_marker`, by which frames are found again behind damage.
  uint32_t marker;
  /// Bytes of the frame after `checksum`.
  uint32_t size;
  /// Of all after it.
  uint64_t checksum;
  /// Position of the first event.
  int64_t position;
  uint64_t count;
};

static_assert(sizeof(frame_head) == 32);

inline constexpr uint32_t frame_marker = 0x4652'4d54; // "TMRF"

/// Bytes of a frame that `frame_head::size` does not count.
inline constexpr size_t frame_preamble = offsetof(frame_head, position);

/// Returns the head of a segment that is made now.
segment_head make_segment_head();

/// Checks the head of a segment. Throws `fault::other_format` or
/// `fault::damaged`.
/// @param bytes beginning of the file.
segment_head check_segment_head(std::string_view bytes);

/// Fills in the head of a frame, for which its first bytes are left free.
/// @param frame room for the head, and the events behind it.
void seal_frame(std::string& frame, int64_t position, uint64_t count);

/// Returns the checksum of the bytes (XXH3, 64 bits).
uint64_t checksum_of(std::string_view bytes) noexcept;

/// Returns the boot of the machine as the kernel names it; empty if unknown.
std::string boot_id();

} // namespace turnout::journal
