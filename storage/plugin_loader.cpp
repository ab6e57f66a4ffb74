#include "storage/plugin_loader.hpp"

#include <dlfcn.h>

#include <system_error>
#include <utility>

namespace turnout::storage {

namespace {

namespace fs = std::filesystem;

constexpr char entry_point[] = "turnout_storage_plugin";

struct library_closer {
  void operator()(void* handle) const noexcept {
    dlclose(handle);
  }
};

std::string last_loader_error() {
  auto text = dlerror();
  return text != nullptr ? text : "unknown error";
}

/// A name becomes part of a file name, so it must not lead elsewhere.
bool is_plugin_name(const std::string& name) {
  if (name.empty() || name.size() > 64)
    return false;
  for (auto c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
      return false;
  return true;
}

caf::expected<const plugin_descriptor*> load(const fs::path& file,
                                             const std::string& name) {
  auto fail = [&](const std::string& reason) {
    return make_error(ec::plugin, "Cannot load the storage plugin "
                                    + file.string() + ": " + reason);
  };
  std::unique_ptr<void, library_closer> handle{
    dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)};
  if (handle == nullptr)
    return fail(last_loader_error());
  auto found
    = static_cast<const plugin_descriptor*>(dlsym(handle.get(), entry_point));
  if (found == nullptr)
    return fail(std::string{"it is not a Turnout storage plugin (no symbol "}
                + entry_point + ").");
  // Nothing else of the descriptor may be read before the version is known.
  if (found->abi_version != plugin_abi_version)
    return fail("it was built for plugin interface "
                + std::to_string(found->abi_version)
                + ", but this Turnout has plugin interface "
                + std::to_string(plugin_abi_version)
                + ". Build the plugin for this version of Turnout.");
  if (found->name == nullptr || found->open == nullptr)
    return fail("its descriptor is incomplete.");
  if (found->name != name)
    return fail(std::string{"it calls itself \""} + found->name + "\".");
  // From here on the plugin stays, as backends and errors may outlive everybody
  // who could close it.
  static_cast<void>(handle.release());
  return found;
}

caf::expected<const plugin_descriptor*>
find(const std::string& name, const std::vector<fs::path>& directories) {
  if (!is_plugin_name(name))
    return make_error(ec::plugin,
                      "\"" + name + "\" is not a name of a storage plugin.");
  auto file_name = "libturnout_storage_" + name + ".so";
  std::string looked_in;
  for (const auto& directory : directories) {
    auto file = fs::absolute(directory / file_name);
    std::error_code ignored;
    if (fs::exists(file, ignored))
      return load(file, name);
    if (!looked_in.empty())
      looked_in += ", ";
    looked_in += directory.string();
  }
  return make_error(ec::plugin, "There is no storage plugin \"" + name
                                  + "\": no file " + file_name + " in "
                                  + looked_in + ".");
}

} // namespace

caf::expected<backend_factory>
load_plugin(const std::string& name,
            const std::vector<std::filesystem::path>& directories,
            backend_settings settings) {
  auto plugin = find(name, directories);
  if (!plugin)
    return std::move(plugin.error());
  return backend_factory{
    [open = (*plugin)->open, settings]() -> caf::expected<backend_ptr> {
      backend_ptr result{open(settings)};
      if (result == nullptr)
        return make_error(ec::unavailable,
                          "There is not enough memory to open the store.");
      return result;
    }};
}

caf::expected<backup_function>
load_backup(const std::string& name,
            const std::vector<std::filesystem::path>& directories,
            backend_settings settings) {
  auto plugin = find(name, directories);
  if (!plugin)
    return std::move(plugin.error());
  if ((*plugin)->back_up == nullptr)
    return backup_function{};
  return backup_function{[copy = (*plugin)->back_up, settings](
                           const fs::path& to) { return copy(settings, to); }};
}

std::vector<std::filesystem::path>
plugin_directories(const std::filesystem::path& extra) {
  std::vector<fs::path> result;
  if (!extra.empty())
    result.emplace_back(extra);
  std::error_code failed;
  auto executable = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    result.emplace_back(executable.parent_path());
    result.emplace_back(executable.parent_path() / "plugins");
    result.emplace_back(
      (executable.parent_path() / TURNOUT_PLUGIN_DIR).lexically_normal());
  }
  return result;
}

} // namespace turnout::storage
