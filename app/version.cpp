#include "app/version.hpp"

namespace turnout::app {

const char* version() noexcept {
  return TURNOUT_VERSION;
}

} // namespace turnout::app
