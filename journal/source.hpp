#pragma once

#include "journal/event_codec.hpp"
#include "journal/file.hpp"
#include "journal/files.hpp"
#include "journal/segment_format.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace turnout::journal {

/// A segment that is read, from front to back or once more. Everything throws.
class source {
public:
  /// What to do with bytes that are no frame.
  enum class damage {
    /// Throws `fault::damaged` when it gets there.
    stops,
    /// Looks for the next frame behind it.
    is_skipped,
  };

  explicit source(const segment_file& where);

  const segment_file& place() const noexcept {
    return x_file;
  }

  /// Calls `f` with at most `max` entries after a position, in order; what it
  /// gets is there until it returns. When it throws, `f` has got all entries
  /// before the damage.
  template <class F>
  void read(int64_t position, size_t max, damage mode, F f) {
    start_after(position);
    while (max > 0) {
      const auto next = next_frame(mode);
      if (!next)
        return;
      if (next->last() <= position) {
        pass(*next);
        continue;
      }
      auto at = next->first;
      for (auto events = next->events; !events.empty(); ++at) {
        decode(events, x_entry.what);
        if (at <= position)
          continue;
        if (max == 0)
          return; // in the middle of the frame, which is read again
        x_entry.position = at;
        f(std::as_const(x_entry));
        --max;
      }
      pass(*next);
    }
  }

  /// Returns whether there are events after a position.
  bool has_after(int64_t position, damage mode);

  /// Returns whether events were passed on the way to where it reads.
  bool has_passed_any() const noexcept {
    return x_passed != 0;
  }

  /// Returns the last position before the end or the damage, 0 if there is
  /// none.
  int64_t last(damage mode);

  /// Returns the boot of the machine during which the segment was made; empty
  /// if unknown.
  std::string boot() const;

  /// Says what was wrong first, as far as it was read; empty for nothing.
  const std::string& found_damage() const noexcept {
    return x_damage;
  }

private:
  struct frame {
    int64_t first;
    int64_t count;
    std::string_view events;
    /// Offset of the next frame.
    int64_t end;

    int64_t last() const noexcept {
      return first + count - 1;
    }
  };

  void start_after(int64_t position);

  /// Returns the frame at the offset; nullopt at the end of the file or of what
  /// is written of a frame. Throws for anything else.
  std::optional<frame> frame_at(int64_t offset);

  std::optional<frame> next_frame(damage mode);

  /// Returns whether a whole frame lies somewhere behind the offset.
  bool is_frame_behind(int64_t offset);

  /// Returns where the next marker of a frame is from the offset on, or the end
  /// of the file.
  int64_t find_marker(int64_t offset);

  void pass(const frame& x);

  /// Returns `size` bytes at the offset, fewer at the end of the file.
  std::string_view bytes(int64_t offset, size_t size, bool again = false);

  void note_damage(const std::string& what);

  segment_file x_file;
  /// The one that is read, kept for its memory.
  entry x_entry;
  journal::file x_in;
  segment_head x_head{};
  /// Where the next frame is read, and the last position before it.
  int64_t x_offset = sizeof(segment_head);
  int64_t x_passed = 0;
  /// A part of the file.
  std::string x_buffer;
  int64_t x_buffer_offset = 0;
  std::string x_damage;
};

} // namespace turnout::journal
