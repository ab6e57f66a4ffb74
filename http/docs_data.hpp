#pragma once

#include "http/asset.hpp"

#include <span>
#include <string_view>

namespace turnout {

/// What script/generate-docs.mjs makes at build time.
namespace docs_data {

/// What the page below /docs consists of, but for the page.
extern const std::span<const asset> files;

/// The page, with "@description_path@" where the path of the description goes.
extern const std::string_view page;

/// The OpenAPI document as JSON, with "@base_url@", "@public_root@" and
/// "@short_base@" as addresses of servers.
extern const std::string_view description;

} // namespace docs_data

} // namespace turnout
