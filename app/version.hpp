#pragma once

namespace turnout::app {

/// Returns the version of this build, such as "0.1.0".
const char* version() noexcept;

} // namespace turnout::app
