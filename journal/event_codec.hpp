#pragma once

#include "journal/journal.hpp"

#include <string>
#include <string_view>

namespace turnout::journal {

/// Appends the bytes of an event: its kind, then its fields in a fixed order,
/// numbers as they are in memory, texts after their length. NUL characters are
/// left out of texts.
void encode(const event& x, std::string& to);

/// Takes an event off the front of `from`, into the memory of the texts that
/// `to` has already. Throws `fault::damaged` for what `encode` does not write,
/// and leaves `to` with anything.
void decode(std::string_view& from, event& to);

} // namespace turnout::journal
