#include "app/version.hpp"

#include "app/commit.hpp"

namespace turnout::app {

const char* version() noexcept {
  return TURNOUT_VERSION;
}

const char* commit() noexcept {
  return TURNOUT_COMMIT;
}

} // namespace turnout::app
