#pragma once

#include "core/report.hpp"
#include "http/codec/json.hpp"
#include "http/codec/query.hpp"

#include <string>
#include <string_view>

namespace turnout {

/// Returns a click as the API shows it.
json::object to_json(const click_row& x, std::string_view link_id);

/// Returns the answer of the click list.
std::string clicks_body(const uuid& link_id, const click_page& x,
                        const paging& where);

/// Returns the answer of the analytics.
std::string analytics_body(const analytics_report& x);

} // namespace turnout
