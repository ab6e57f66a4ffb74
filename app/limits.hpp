#pragma once

namespace turnout::app {

/// Raises the number of files this process may have open to what the system
/// allows, because each connection takes one.
void raise_open_files() noexcept;

} // namespace turnout::app
