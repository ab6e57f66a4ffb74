#include "journal/copy.hpp"

#include "journal/fault.hpp"
#include "journal/file.hpp"
#include "journal/files.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

namespace turnout::journal {

namespace fs = std::filesystem;

namespace {

constexpr size_t part_size = 64 << 10;

/// Copies what an open file has now; it may grow meanwhile.
void copy(const file& in, const file& out) {
  const auto size = in.size();
  std::string part;
  for (int64_t at = 0; at < size; at += static_cast<int64_t>(part.size())) {
    in.read(part, std::min<int64_t>(part_size, size - at), at);
    if (part.empty())
      break;
    out.write(part, at);
  }
  out.sync();
}

} // namespace

caf::error copy_file(const fs::path& from, const fs::path& to) {
  try {
    const auto in = file::open(from);
    copy(in, file::create(to));
  } catch (const segment_error& x) {
    if (!is_gone(from))
      return make_error(ec::journal, "cannot copy " + from.string() + " to "
                                       + to.string() + ": " + x.what());
  }
  return caf::error{};
}

caf::error sync_directory(const fs::path& dir) {
  try {
    file::open(dir).sync();
  } catch (const segment_error& x) {
    return make_error(ec::journal, "cannot force " + dir.string()
                                     + " to the disk: " + x.what());
  }
  return caf::error{};
}

caf::error copy_segments(const fs::path& from, const fs::path& to) {
  if (auto err = make_private_directory(to))
    return err;
  std::error_code ignored;
  if (!fs::exists(from, ignored))
    return caf::error{};
  auto segments = list_segments(from);
  if (!segments)
    return std::move(segments.error());
  // What has been written of a segment stays as it is. A commit that is under
  // way may be cut off, which is the end for a reader.
  for (const auto& x : *segments)
    if (auto err = journal::copy_file(x.path, to / x.path.filename()))
      return err;
  return sync_directory(to);
}

} // namespace turnout::journal
