// A country database: whatever the file says, an address has a country of the
// list or none.

#include "core/rules.hpp"
#include "http/geo.hpp"
#include "monitoring/log.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <string>

using namespace turnout;

namespace {

/// A file in memory that is written anew for each input.
class memory_file {
public:
  memory_file() : x_fd{::memfd_create("fuzz", 0)} {
    HOLDS(x_fd >= 0);
  }

  std::string write(const uint8_t* data, size_t size) const {
    HOLDS(::ftruncate(x_fd, 0) == 0);
    HOLDS(::pwrite(x_fd, data, size, 0) == static_cast<ssize_t>(size));
    return "/proc/self/fd/" + std::to_string(x_fd);
  }

private:
  int x_fd;
};

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const memory_file file;
  static const bool quiet = log::set_level("error");
  HOLDS(quiet);
  const geo_lookup geo{file.write(data, size)};
  for (auto text : {"8.8.8.8", "1.1.1.1", "193.0.6.139", "223.255.255.255",
                    "2003:0:1:2:3:4:5:6", "2001:4860:4860::8888", "10.0.0.1"}) {
    const auto address = *ip_address::parse(text);
    const auto country = geo.country(address);
    HOLDS(country.empty() || is_country_code(country));
    HOLDS(country.empty() || address.is_public());
    // What was remembered is what was read.
    HOLDS(geo.country(address) == country);
  }
  return 0;
}
