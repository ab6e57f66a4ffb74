#pragma once

#include "storage/migrations.hpp"

#include <vector>

namespace turnout::postgresql {

/// Returns the steps of the schema, oldest first. A released step is never
/// changed; what is new becomes a step of its own.
const std::vector<storage::migration>& schema();

} // namespace turnout::postgresql
