#pragma once

#include "core/winner_report.hpp"

#include <string>

namespace turnout {

/// Returns the answer of the winner operation.
std::string winner_body(const winner_report& x);

} // namespace turnout
