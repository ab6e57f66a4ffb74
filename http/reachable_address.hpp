#pragma once

#include <string>

namespace turnout {

/// Returns where clients find what listens on an address such as
/// "0.0.0.0:8080": nobody can go to "any address", so it is localhost then.
std::string reachable_address(const std::string& listened);

} // namespace turnout
