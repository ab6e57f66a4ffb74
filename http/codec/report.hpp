#pragma once

#include "core/report.hpp"
#include "http/codec/query.hpp"

#include <string>

namespace turnout {

/// Returns the answer of the click list.
std::string clicks_body(const uuid& link_id, const click_page& x,
                        const paging& where);

/// Returns the answer of the analytics.
std::string analytics_body(const analytics_report& x);

} // namespace turnout
