#pragma once

#include "http/asset.hpp"

#include <span>
#include <string_view>

namespace turnout {

/// What script/generate-dashboard.mjs makes at build time.
namespace dashboard_data {

/// What the page below /app consists of, but for the page.
extern const std::span<const asset> files;

/// The page, with the addresses of a service with default settings.
extern const std::string_view page;

} // namespace dashboard_data

} // namespace turnout
