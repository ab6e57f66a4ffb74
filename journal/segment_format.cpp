#include "journal/segment_format.hpp"

#include "journal/fault.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <fstream>

namespace turnout::journal {

namespace {

constexpr std::string_view magic{"turnout journal\n"};

static_assert(magic.size() == sizeof(segment_head::magic));

constexpr std::string_view magic_of_format_1{"SQLite format 3\0", 16};

std::string_view checked_part(const segment_head& x) {
  return {reinterpret_cast<const char*>(&x), offsetof(segment_head, checksum)};
}

segment_error of_other_format(const std::string& format, const char* run) {
  return {fault::other_format,
          "its format is " + format + ", this version of Turnout has "
            + std::to_string(segment_format) + "; run the " + run
            + " version until its journal is drained"};
}

} // namespace

segment_head make_segment_head() {
  segment_head result{};
  std::copy(magic.begin(), magic.end(), result.magic);
  result.format = segment_format;
  const auto boot = boot_id();
  std::copy_n(boot.begin(), std::min(boot.size(), sizeof(result.boot)),
              result.boot);
  result.checksum = checksum_of(checked_part(result));
  return result;
}

segment_head check_segment_head(std::string_view bytes) {
  if (bytes.empty())
    throw segment_error{fault::damaged, "the file is empty"};
  if (bytes.starts_with(magic_of_format_1))
    throw of_other_format("1", "older");
  segment_head result{};
  if (bytes.size() < sizeof(result) || !bytes.starts_with(magic))
    throw segment_error{fault::damaged, "it does not begin like a segment"};
  std::memcpy(&result, bytes.data(), sizeof(result));
  if (result.checksum != checksum_of(checked_part(result)))
    throw segment_error{fault::damaged, "its head has a wrong checksum"};
  if (result.format != segment_format)
    throw of_other_format(std::to_string(result.format), "newer");
  return result;
}

void seal_frame(std::string& frame, int64_t position, uint64_t count) {
  frame_head head{frame_marker,
                  static_cast<uint32_t>(frame.size() - frame_preamble), 0,
                  position, count};
  std::memcpy(frame.data(), &head, sizeof(head));
  head.checksum = checksum_of(std::string_view{frame}.substr(frame_preamble));
  std::memcpy(frame.data() + offsetof(frame_head, checksum), &head.checksum,
              sizeof(head.checksum));
}

uint64_t checksum_of(std::string_view bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::string boot_id() {
  std::string result;
  std::ifstream in{"/proc/sys/kernel/random/boot_id"};
  std::getline(in, result);
  return result;
}

} // namespace turnout::journal
