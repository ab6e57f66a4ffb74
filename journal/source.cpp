#include "journal/source.hpp"

#include "journal/fault.hpp"

#include <algorithm>
#include <cstring>

namespace turnout::journal {

namespace {

/// Bytes that are read at once.
constexpr size_t buffer_size = 256 << 10;

constexpr auto first_frame = static_cast<int64_t>(sizeof(segment_head));

} // namespace

source::source(const segment_file& where)
  : x_file(where), x_in(file::open(where.path)) {
  try {
    x_head = check_segment_head(bytes(0, sizeof(segment_head)));
  } catch (const segment_error& x) {
    // Frames tell by themselves whether they are ours.
    if (x.kind != fault::damaged)
      throw;
    note_damage(x.what());
  }
}

std::string source::boot() const {
  return {x_head.boot, ::strnlen(x_head.boot, sizeof(x_head.boot))};
}

bool source::has_after(int64_t position, damage mode) {
  start_after(position);
  while (const auto next = next_frame(mode)) {
    if (next->last() > position)
      return true;
    pass(*next);
  }
  return false;
}

int64_t source::last(damage mode) {
  start_after(0);
  while (const auto next = next_frame(mode))
    pass(*next);
  return x_passed;
}

void source::start_after(int64_t position) {
  if (position >= x_passed)
    return;
  x_offset = first_frame;
  x_passed = 0;
}

std::optional<source::frame> source::frame_at(int64_t offset) {
  // What was the end of the file when it was read may have been written since.
  for (auto again : {false, true}) {
    auto head_bytes = bytes(offset, sizeof(frame_head), again);
    if (head_bytes.size() < sizeof(frame_head))
      continue;
    frame_head head{};
    std::memcpy(&head, head_bytes.data(), sizeof(head));
    if (head.marker != frame_marker)
      throw segment_error{fault::damaged,
                          "no frame at byte " + std::to_string(offset)};
    const auto size = frame_preamble + head.size;
    // A spoiled size is no reason to ask for that much memory.
    if (size > buffer_size && offset + static_cast<int64_t>(size) > x_in.size())
      continue;
    const auto all = bytes(offset, size, again);
    if (all.size() < size)
      continue;
    if (head.size < sizeof(frame_head) - frame_preamble
        || head.checksum != checksum_of(all.substr(frame_preamble)))
      throw segment_error{fault::damaged,
                          "a wrong checksum at byte " + std::to_string(offset)};
    return frame{head.position, static_cast<int64_t>(head.count),
                 all.substr(sizeof(frame_head)),
                 offset + static_cast<int64_t>(size)};
  }
  return std::nullopt;
}

std::optional<source::frame> source::next_frame(damage mode) {
  if (mode == damage::stops && !x_damage.empty())
    throw segment_error{fault::damaged, x_damage};
  for (;;) {
    try {
      if (auto result = frame_at(x_offset))
        return result;
      if (mode == damage::stops || !is_frame_behind(x_offset))
        return std::nullopt;
      note_damage("a frame is cut off at byte " + std::to_string(x_offset));
    } catch (const segment_error& x) {
      if (x.kind != fault::damaged || mode == damage::stops)
        throw;
      note_damage(x.what());
    }
    x_offset = find_marker(x_offset + 1);
  }
}

bool source::is_frame_behind(int64_t offset) {
  const auto end = x_in.size();
  while ((offset = find_marker(offset + 1)) < end) {
    try {
      if (frame_at(offset))
        return true;
    } catch (const segment_error& x) {
      if (x.kind != fault::damaged)
        throw;
    }
  }
  return false;
}

int64_t source::find_marker(int64_t offset) {
  char marker[sizeof(frame_marker)];
  std::memcpy(marker, &frame_marker, sizeof(marker));
  const std::string_view wanted{marker, sizeof(marker)};
  for (;;) {
    const auto part = bytes(offset, buffer_size);
    if (part.size() < wanted.size())
      return offset + static_cast<int64_t>(part.size());
    const auto found = part.find(wanted);
    if (found != std::string_view::npos)
      return offset + static_cast<int64_t>(found);
    offset += static_cast<int64_t>(part.size() - wanted.size() + 1);
  }
}

void source::pass(const frame& x) {
  x_passed = std::max(x_passed, x.last());
  x_offset = x.end;
}

std::string_view source::bytes(int64_t offset, size_t size, bool again) {
  const auto end = x_buffer_offset + static_cast<int64_t>(x_buffer.size());
  if (again || offset < x_buffer_offset
      || offset + static_cast<int64_t>(size) > end) {
    x_in.read(x_buffer, std::max(size, buffer_size), offset);
    x_buffer_offset = offset;
  }
  return std::string_view{x_buffer}.substr(
    static_cast<size_t>(offset - x_buffer_offset), size);
}

void source::note_damage(const std::string& what) {
  // The first says where to look; a spoiled file would have thousands.
  if (x_damage.empty())
    x_damage = what;
}

} // namespace turnout::journal
