#pragma once

namespace turnout::app {

/// Raises the number of files this process may have open to what the system
/// allows, because each connection takes one.
void raise_open_files() noexcept;

/// Has large blocks of memory, such as the DRAIN's batches, given back to the
/// system as soon as they are free. Without it the C library learns from the
/// first ones to keep them, scattered among what stays. To be called before
/// there are other threads.
void return_free_memory() noexcept;

} // namespace turnout::app
