#pragma once

#include "http/request.hpp"
#include "http/response.hpp"

namespace turnout {

/// The answer of `GET /c.js`: the script for pages that report conversions, or
/// 304 to a browser that has it.
response script_answer(const request& in);

} // namespace turnout
