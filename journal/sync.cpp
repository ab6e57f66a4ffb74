#include "core/error.hpp"
#include "journal/copy.hpp"
#include "journal/fault.hpp"
#include "journal/file.hpp"
#include "journal/files.hpp"
#include "journal/journal.hpp"

#include <utility>

namespace turnout::journal {

namespace fs = std::filesystem;

namespace {

caf::error sync_segment(const fs::path& path) {
  try {
    file::open(path).sync_data();
  } catch (const segment_error& x) {
    // It may have been trimmed meanwhile.
    if (!is_gone(path))
      return make_error(ec::journal, "cannot force " + path.string()
                                       + " to the disk: " + x.what());
  }
  return caf::error{};
}

} // namespace

caf::error sync_all(const fs::path& dir) {
  auto segments = list_segments(dir);
  if (!segments)
    return std::move(segments.error());
  // Goes on after a failure, so that one bad file harms no other one.
  caf::error result;
  auto note = [&result](caf::error err) {
    if (err && !result)
      result = std::move(err);
  };
  for (auto& x : *segments)
    note(sync_segment(x.path));
  // A new name is not within the data of its file.
  note(sync_directory(dir));
  return result;
}

} // namespace turnout::journal
