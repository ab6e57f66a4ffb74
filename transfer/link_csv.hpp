#pragma once

#include "storage/backend.hpp"
#include "transfer/csv_reader.hpp"
#include "transfer/fields.hpp"
#include "transfer/record.hpp"

#include <string>
#include <vector>

namespace turnout::transfer {

// The CSV layout of our own: a row for each link, with columns for up to five
// variants; what a spreadsheet has no use for comes last.

/// Returns the first line, with its end.
const std::string& links_csv_header();

/// Appends the row of a link, as RFC 4180 has it and otherwise byte for byte.
void append_links_csv(std::string& out, const storage::counted_link& x);

/// Checks that a header has a destination and names no known column twice.
/// @param columns folded names.
caf::error check_link_columns(const std::vector<std::string>& columns);

/// Returns the columns of a header that mean nothing here, as they are written.
std::vector<std::string>
unknown_link_columns(const std::vector<std::string>& names);

/// Makes a link of a row: empty cells are absent.
caf::expected<json::object> link_of_row(const field_map& row);

} // namespace turnout::transfer
