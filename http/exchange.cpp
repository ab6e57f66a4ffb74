#include "http/exchange.hpp"

namespace turnout {

response unanswered() {
  return error_response(make_error(ec::unavailable, "not answered"));
}

} // namespace turnout
