#pragma once

#include "config/settings.hpp"
#include "storage/plugin_loader.hpp"

namespace turnout::app {

/// Makes the data directory if need be and loads the storage plugin.
caf::expected<storage::backend_factory> load_store(const settings& options);

/// Loads the storage plugin and returns how it copies the store; an empty
/// function when its server has to.
caf::expected<storage::backup_function>
load_store_backup(const settings& options);

/// Opens the store for a command and checks that its schema is the plugin's;
/// the error says to run `turnout migrate` otherwise.
caf::expected<storage::backend_ptr> open_store(const settings& options);

} // namespace turnout::app
