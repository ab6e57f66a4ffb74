#pragma once

#include "storage/backend.hpp"

namespace turnout::storage {

/// Version of the interface between Turnout and its storage plugins: raised by
/// every change of backend.hpp, plugin.hpp or the core types they use.
inline constexpr int plugin_abi_version = 6;

/// What a plugin exports as `turnout_storage_plugin`.
struct plugin_descriptor {
  /// `plugin_abi_version` at the time the plugin was built.
  int abi_version;
  /// Name for `--storage`, such as "sqlite".
  const char* name;
  /// Makes a backend; connects lazily. The caller owns the result. Never
  /// throws; returns nullptr only when memory is short.
  backend* (*open)(const backend_settings& settings);
};

} // namespace turnout::storage

/// Defines the exported entry point of a plugin.
#define TURNOUT_STORAGE_PLUGIN(plugin_name, open_function)                     \
  extern "C" __attribute__((visibility("default")))                            \
  const ::turnout::storage::plugin_descriptor turnout_storage_plugin           \
    = {::turnout::storage::plugin_abi_version, plugin_name, open_function}
