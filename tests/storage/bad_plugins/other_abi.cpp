// A plugin that was built for another version of the interface.
#include "storage/plugin.hpp"

namespace {

turnout::storage::backend* open(const turnout::storage::backend_settings&) {
  return nullptr;
}

} // namespace

extern "C" __attribute__((visibility("default")))
const turnout::storage::plugin_descriptor turnout_storage_plugin
  = {turnout::storage::plugin_abi_version + 1, "other_abi", open};
