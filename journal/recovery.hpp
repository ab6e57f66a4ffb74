#pragma once

#include "journal/files.hpp"
#include "journal/journal.hpp"

namespace turnout::journal {

/// What the segments of a former run say about positions.
struct past {
  /// Position of the last event that can be read, 0 if there is none.
  int64_t last = 0;
  /// A new segment must start after this position.
  int64_t reserved = 0;
};

/// Looks at the segments of a journal before its first writer starts. Sets
/// newest segments aside of which nothing can be read. Fails for segments of a
/// newer version and for what is not the segment's fault.
caf::expected<past> look_back(const std::filesystem::path& dir, int journal,
                              const report_function& report);

/// Sets a damaged segment aside and reports it. @param why as SQLite says it.
caf::error set_aside_and_report(const segment_file& x, const std::string& why,
                                const report_function& report);

} // namespace turnout::journal
