#pragma once

#include "storage/backend.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace turnout::transfer {

/// What is exported, and how.
struct export_options {
  uuid owner;
  bool json_lines = false;
  /// Whether clicks are exported, and not links.
  bool clicks = false;
};

/// Takes the next part of the file; an error ends the export.
using part_sink = std::function<caf::error(std::string_view)>;

/// Writes the links of an account, or all their clicks, newest links first,
/// page by page: memory is bounded, and what is made, deleted or clicked
/// meanwhile neither hides nor doubles a row.
/// @param progress takes the numbers of links and rows done.
caf::error write_export(storage::backend& db, const export_options& options,
                        const part_sink& sink,
                        const std::function<void(int64_t, int64_t)>& progress);

} // namespace turnout::transfer
