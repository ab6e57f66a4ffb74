#pragma once

#include "core/error.hpp"
#include "core/uuid.hpp"

#include <filesystem>

namespace turnout {

/// Returns the id of the node that owns a data directory, from its file
/// `node_id`, which is made when missing. Fails with `ec::config`.
caf::expected<uuid> load_node_id(const std::filesystem::path& data_dir);

} // namespace turnout
