#include "journal/fault.hpp"

#include <cerrno>
#include <system_error>

namespace turnout::journal {

segment_error failed_call(const char* what, int system_errno) {
  const auto no_space
    = system_errno == ENOSPC || system_errno == EDQUOT || system_errno == EFBIG;
  return {no_space ? fault::no_space : fault::other,
          std::string{what} + ": "
            + std::generic_category().message(system_errno)};
}

} // namespace turnout::journal
