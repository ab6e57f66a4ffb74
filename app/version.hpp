#pragma once

namespace turnout::app {

/// Returns the version of this build, such as "0.1.0".
const char* version() noexcept;

/// Returns the commit that this build was made of, such as "b8c6cfd1234a", with
/// "-dirty" behind it when files were changed since; empty when the sources
/// were no working copy of git.
const char* commit() noexcept;

} // namespace turnout::app
