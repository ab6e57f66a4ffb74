#include "core/event.hpp"

namespace turnout {

const char* to_string(exclusion x) noexcept {
  switch (x) {
    case exclusion::head:
      return "head";
    case exclusion::prefetch:
      return "prefetch";
    case exclusion::preview:
      return "preview";
    case exclusion::crawler:
      return "crawler";
  }
  return "";
}

} // namespace turnout
