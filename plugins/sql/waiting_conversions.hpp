#pragma once

#include "plugins/sql/connection.hpp"
#include "storage/backend.hpp"

#include <vector>

namespace turnout::plugins {

// The pixel of a page may be answered by another node than the visit that led
// there, and be stored before the click: that is in the first node's journal,
// for as long as this node is behind or away. Such a conversion waits in the
// store.

/// Keeps a conversion whose click is not there, if this may come still: for a
/// day, as long as a click is a conversion's.
void keep_waiting(connection& db, const conversion_request& x);

/// Returns the conversions that waited for clicks of this transaction, and
/// those whose click another transaction brought while they were being kept.
std::vector<conversion_request>
arrived_conversions(connection& db, const std::vector<uuid>& new_clicks);

/// Returns whether `arrived_conversions` may find more soon.
bool is_conversion_waiting(connection& db);

/// Forgets a conversion that waited.
void forget_waiting(connection& db, const conversion_request& x);

} // namespace turnout::plugins
