#pragma once

#include "core/error.hpp"

#include <atomic>
#include <string>

namespace turnout::identity {

/// Fetches a document of at most 1 MiB by http or https, within 5 seconds.
/// Blocks, so not on a reactor's thread. Fails with `ec::unavailable`.
/// @param stop becoming true ends it within a second.
caf::expected<std::string> fetch(const std::string& url,
                                 const std::atomic<bool>& stop);

} // namespace turnout::identity
