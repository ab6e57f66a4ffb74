#pragma once

#include "journal/journal.hpp"

#include <string>
#include <string_view>

namespace turnout::journal {

/// Appends the bytes of an event: its kind, then its fields in a fixed order,
/// numbers as they are in memory, texts after their length. NUL characters are
/// left out of texts.
void encode(const event& x, std::string& to);

/// Takes an event off the front of `from`. Throws `fault::damaged` for what
/// `encode` does not write.
event decode(std::string_view& from);

} // namespace turnout::journal
