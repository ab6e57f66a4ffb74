#include "app/output.hpp"

#include "app/command_line.hpp"
#include "core/error.hpp"

#include <iostream>

namespace turnout::app {

int fail(const caf::error& err) {
  std::cerr << "turnout: " << detail(err) << '\n';
  return failed;
}

} // namespace turnout::app
