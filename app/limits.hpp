#pragma once

namespace turnout::app {

/// Raises the number of files this process may have open to what the system
/// allows, because each connection takes one.
void raise_open_files() noexcept;

/// Has the system write no core dump of this process and let no other process
/// of the same user read its memory, where keys, passwords and secrets pass
/// through.
void forbid_core_dumps() noexcept;

} // namespace turnout::app
