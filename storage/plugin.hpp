#pragma once

#include "storage/backend.hpp"

#include <filesystem>

namespace turnout::storage {

/// Version of the interface between Turnout and its storage plugins: raised by
/// every change of backend.hpp, plugin.hpp or the core types they use.
inline constexpr int plugin_abi_version = 8;

/// What a plugin exports as `turnout_storage_plugin`.
struct plugin_descriptor {
  /// `plugin_abi_version` at the time the plugin was built.
  int abi_version;
  /// Name for `--storage`, such as "sqlite".
  const char* name;
  /// Makes a backend; connects lazily. The caller owns the result. Never
  /// throws; returns nullptr only when memory is short.
  backend* (*open)(const backend_settings& settings);
  /// Writes a copy of the store, as it is at one moment after the call, into a
  /// directory, where a backend with that `data_dir` finds it; others may write
  /// meanwhile. Never throws. Null when the store is a server, which brings
  /// tools of its own.
  caf::error (*back_up)(const backend_settings& settings,
                        const std::filesystem::path& to)
    = nullptr;
};

} // namespace turnout::storage

/// Defines the exported entry point of a plugin:
/// TURNOUT_STORAGE_PLUGIN(name, open[, back_up]).
#define TURNOUT_STORAGE_PLUGIN(plugin_name, ...)                               \
  extern "C" __attribute__((visibility("default")))                            \
  const ::turnout::storage::plugin_descriptor turnout_storage_plugin           \
    = {::turnout::storage::plugin_abi_version, plugin_name, __VA_ARGS__}
