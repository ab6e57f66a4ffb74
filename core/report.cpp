#include "core/report.hpp"

namespace turnout {

const char* to_string(dimension x) noexcept {
  switch (x) {
    case dimension::country:
      return "country";
    case dimension::referrer:
      return "referrer";
    case dimension::browser:
      return "browser";
    case dimension::device:
      return "device";
    case dimension::system:
      return "system";
  }
  return "";
}

} // namespace turnout
