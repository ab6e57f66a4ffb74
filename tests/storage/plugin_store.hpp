#pragma once

#include "core/changes.hpp"
#include "core/identifiers.hpp"
#include "storage/plugin_loader.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace turnout::test {

/// Opens a backend of a plugin of this build; throws with the reason when there
/// is none.
inline storage::backend_ptr
open_backend(const std::string& plugin,
             const storage::backend_settings& settings) {
  auto factory = storage::load_plugin(plugin, {TEST_PLUGIN_DIR}, settings);
  if (!factory)
    throw std::runtime_error{detail(factory.error())};
  auto result = (*factory)();
  if (!result)
    throw std::runtime_error{detail(result.error())};
  return std::move(*result);
}

/// Makes a link of nobody, that is not stored yet, with the variants "A" and
/// "B".
inline link new_link(const std::string& slug) {
  link x;
  x.id = make_uuid(now());
  x.user_id = make_uuid(now());
  x.slug = slug;
  x.name = slug;
  x.created_at = x.updated_at = now();
  x.variants = make_variants(
    {{"A", "https://a.example/", 50}, {"B", "https://b.example/", 50}}, now());
  return x;
}

} // namespace turnout::test
