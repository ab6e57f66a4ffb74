#include "http/reachable_address.hpp"

#include <string_view>

namespace turnout {

std::string reachable_address(const std::string& listened) {
  for (std::string_view any : {"0.0.0.0:", "[::]:"})
    if (listened.starts_with(any))
      return "localhost:" + listened.substr(any.size());
  return listened;
}

} // namespace turnout
