#include "journal/event_codec.hpp"
#include "journal/fault.hpp"
#include "journal/file.hpp"
#include "journal/files.hpp"
#include "journal/journal.hpp"
#include "journal/recovery.hpp"
#include "journal/segment_format.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>

namespace turnout::journal {

namespace fs = std::filesystem;

namespace {

// The segment in use.
class open_segment {
public:
  // Makes a segment; nobody ever sees half of its head. Throws.
  open_segment(const segment_file& where, const fs::path& unfinished)
    : x_place(where),
      x_out(file::create(unfinished)),
      x_bytes(sizeof(segment_head)) {
    const auto head = make_segment_head();
    x_out.write({reinterpret_cast<const char*>(&head), sizeof(head)}, 0);
    rename_file(unfinished, where.path);
  }

  const segment_file& place() const noexcept {
    return x_place;
  }

  int64_t events() const noexcept {
    return x_events;
  }

  int64_t bytes() const noexcept {
    return x_bytes;
  }

  // Writes a frame. Throws, and then nothing of it is there, or, when
  // `is_usable` is false, an unfinished frame that nobody reads.
  void write(std::string_view frame, size_t num_events) {
    try {
      x_out.write(frame, x_bytes);
    } catch (const segment_error&) {
      try {
        x_out.truncate(x_bytes);
      } catch (const segment_error&) {
        x_is_usable = false;
      }
      throw;
    }
    x_bytes += static_cast<int64_t>(frame.size());
    x_events += static_cast<int64_t>(num_events);
  }

  bool is_usable() const noexcept {
    return x_is_usable;
  }

private:
  segment_file x_place;
  file x_out;
  int64_t x_bytes;
  int64_t x_events = 0;
  bool x_is_usable = true;
};

class segment_writer final : public writer {
public:
  segment_writer(const fs::path& dir, int number, const limits& bounds,
                 int64_t last, int64_t reserved)
    : x_dir(dir),
      x_number(number),
      x_bounds(bounds),
      x_next(reserved + 1),
      x_last(last) {
    // A segment in use cannot be trimmed, so it must not fill the journal.
    x_bounds.bytes_per_segment
      = std::min(x_bounds.bytes_per_segment, x_bounds.max_bytes / 4);
  }

  void append(const event& x) override {
    if (x_pending == 0) {
      x_first = x_next;
      x_frame.assign(sizeof(frame_head), '\0');
    }
    // Positions of a failed commit are not given to other events, since the
    // failure may have come after the write.
    ++x_next;
    ++x_pending;
    encode(x, x_frame);
  }

  size_t pending() const noexcept override {
    return x_pending;
  }

  caf::error commit() override {
    if (x_pending == 0)
      return caf::error{};
    auto result = commit_turn();
    if (!result)
      x_last.store(x_next - 1, std::memory_order_release);
    x_pending = 0;
    return result;
  }

  int64_t last_position() const noexcept override {
    return x_last.load(std::memory_order_acquire);
  }

  int64_t bytes() const noexcept override {
    return x_bytes.load(std::memory_order_relaxed);
  }

  // Makes a segment that starts at the position.
  caf::error start_segment(int64_t first) {
    const auto place = make_segment_file(x_dir, x_number, first);
    const auto unfinished = unfinished_segment(x_dir, x_number);
    try {
      x_segment.emplace(place, unfinished);
      publish_bytes();
      x_kind = fault::other;
      return caf::error{};
    } catch (const segment_error& x) {
      x_kind = x.kind;
      remove_segment(unfinished);
      return failure(place.path, x.what());
    }
  }

  // Learns the bytes of the segments that are not in use.
  caf::error measure() {
    auto segments = list_segments(x_dir, x_number);
    if (!segments)
      return std::move(segments.error());
    x_others = 0;
    for (auto& x : *segments)
      if (!x_segment || x.first != x_segment->place().first)
        x_others += segment_bytes(x.path);
    return caf::error{};
  }

  // What the last error means.
  fault kind() const noexcept {
    return x_kind;
  }

private:
  caf::error commit_turn() {
    auto full = x_segment
                && (x_segment->events() >= x_bounds.events_per_segment
                    || x_segment->bytes() >= x_bounds.bytes_per_segment);
    if (full)
      leave_segment();
    // Before looking at the bound, since the reader trims only what is closed.
    if (!x_segment)
      if (auto err = start_segment(x_first))
        return err;
    if (auto err = check_bound())
      return err;
    seal_frame(x_frame, x_first, x_pending);
    try {
      x_segment->write(x_frame, x_pending);
      publish_bytes();
      return caf::error{};
    } catch (const segment_error& x) {
      x_kind = x.kind;
      auto result = failure(x_segment->place().path, x.what());
      // Whatever is wrong with this segment, the next one may be in order.
      if (x_kind != fault::no_space || !x_segment->is_usable())
        leave_segment();
      return result;
    }
  }

  void leave_segment() {
    const auto path = x_segment->place().path;
    const auto is_empty = x_segment->events() == 0;
    x_segment.reset();
    // A segment without events would only be in the way, most of all when one
    // after the other fails.
    if (is_empty)
      remove_segment(path);
    x_others += segment_bytes(path);
    publish_bytes();
  }

  caf::error check_bound() {
    if (x_others + bytes() < x_bounds.max_bytes)
      return caf::error{};
    // The reader may have trimmed since.
    if (auto err = measure())
      return err;
    if (x_others + bytes() < x_bounds.max_bytes)
      return caf::error{};
    return make_error(
      ec::journal,
      name() + " is full: its segments have "
        + std::to_string(x_others + bytes()) + " bytes of at most "
        + std::to_string(x_bounds.max_bytes)
        + "; bring the store back, so that it takes the events, or raise the"
          " bound of the journal");
  }

  caf::error failure(const fs::path& path, const std::string& why) const {
    auto text = name() + ": cannot write " + path.string() + ": " + why;
    if (x_kind == fault::no_space)
      text += "; no space is left, free some on the disk of " + x_dir.string();
    return make_error(ec::journal, std::move(text));
  }

  std::string name() const {
    return "journal " + std::to_string(x_number);
  }

  void publish_bytes() {
    x_bytes.store(x_segment ? x_segment->bytes() : 0,
                  std::memory_order_relaxed);
  }

  fs::path x_dir;
  int x_number;
  limits x_bounds;
  // The turn that is not committed yet: room for a head, and its events.
  std::string x_frame;
  size_t x_pending = 0;
  // Position of the turn's first event.
  int64_t x_first = 0;
  // Position of the next event.
  int64_t x_next;
  // Bytes of the segments that are not in use; never too few.
  int64_t x_others = 0;
  fault x_kind = fault::other;
  std::atomic<int64_t> x_last;
  std::atomic<int64_t> x_bytes = 0;
  std::optional<open_segment> x_segment;
};

} // namespace

caf::expected<std::unique_ptr<writer>> writer::open(const fs::path& dir,
                                                    int number, int64_t stored,
                                                    const limits& bounds,
                                                    report_function report) {
  if (auto err = make_private_directory(dir))
    return err;
  if (auto err = remove_segment(unfinished_segment(dir, number)))
    return err;
  auto before = look_back(dir, number, report);
  if (!before)
    return std::move(before.error());
  auto reserved = std::max(before->reserved, stored);
  if (number < 0 || reserved > std::numeric_limits<int64_t>::max() / 2)
    return make_error(ec::journal, "journal " + std::to_string(number)
                                     + " has no positions left after "
                                     + std::to_string(reserved));
  auto result = std::make_unique<segment_writer>(
    dir, number, bounds, std::max(before->last, stored), reserved);
  // Now, so that what an operator has to mend shows at the start.
  if (auto err = result->start_segment(reserved + 1)) {
    if (result->kind() != fault::no_space)
      return err;
    if (report)
      report(detail(err));
  }
  if (auto err = result->measure())
    return err;
  return std::unique_ptr<writer>{std::move(result)};
}

} // namespace turnout::journal
