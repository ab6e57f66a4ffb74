#pragma once

#include "storage/plugin.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace turnout::storage {

/// Opens one backend per call; may be called from any thread.
using backend_factory = std::function<caf::expected<backend_ptr>()>;

/// Copies the store into a directory, see `plugin_descriptor::back_up`.
using backup_function
  = std::function<caf::error(const std::filesystem::path& to)>;

/// Loads the plugin `name` (file `libturnout_storage_<name>.so`) from the first
/// of `directories` that has it. Fails with `ec::plugin` when no directory has
/// it (the detail lists where it looked), when it cannot be loaded, or when its
/// ABI version is another (the detail says both). A loaded plugin stays loaded
/// until the process ends.
caf::expected<backend_factory>
load_plugin(const std::string& name,
            const std::vector<std::filesystem::path>& directories,
            backend_settings settings);

/// Loads a plugin like `load_plugin` and returns how it copies the store; an
/// empty function when that is up to the server that has the store.
caf::expected<backup_function>
load_backup(const std::string& name,
            const std::vector<std::filesystem::path>& directories,
            backend_settings settings);

/// Returns the directories to look in: beside the executable, its `plugins`
/// folder, and the library directory of its installation, wherever that lies;
/// `extra` (a setting) first if not empty.
std::vector<std::filesystem::path>
plugin_directories(const std::filesystem::path& extra);

} // namespace turnout::storage
