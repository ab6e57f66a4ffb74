#include "app/store.hpp"

#include <filesystem>
#include <string>
#include <utility>

namespace turnout::app {

caf::expected<storage::backend_factory> load_store(const settings& options) {
  namespace fs = std::filesystem;
  const auto is_new = !fs::exists(options.data_dir);
  std::error_code failure;
  fs::create_directories(options.data_dir, failure);
  if (failure)
    return make_error(ec::config, "cannot make the data directory "
                                    + options.data_dir.string() + ": "
                                    + failure.message()
                                    + "; name another with --data-dir");
  if (is_new)
    fs::permissions(options.data_dir, fs::perms::owner_all, failure);
  return storage::load_plugin(
    options.storage.plugin,
    storage::plugin_directories(options.storage.plugin_dir),
    {options.data_dir.string(), options.storage.dsn});
}

caf::expected<storage::backup_function>
load_store_backup(const settings& options) {
  return storage::load_backup(
    options.storage.plugin,
    storage::plugin_directories(options.storage.plugin_dir),
    {options.data_dir.string(), options.storage.dsn});
}

caf::expected<storage::backend_ptr> open_store(const settings& options) {
  auto open = load_store(options);
  if (!open)
    return std::move(open.error());
  auto db = (*open)();
  if (!db)
    return std::move(db.error());
  auto stored = (*db)->schema_version();
  if (!stored)
    return std::move(stored.error());
  const auto wanted = (*db)->newest_schema_version();
  if (*stored < wanted)
    return make_error(ec::schema_too_old,
                      "the store has schema version " + std::to_string(*stored)
                        + ", this turnout needs " + std::to_string(wanted)
                        + "; run: turnout migrate");
  if (*stored > wanted)
    return make_error(ec::schema_too_new,
                      "the store has schema version " + std::to_string(*stored)
                        + ", this turnout knows " + std::to_string(wanted)
                        + "; use the newer turnout that made it");
  return db;
}

} // namespace turnout::app
