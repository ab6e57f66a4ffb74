#include "core/error.hpp"

#include <caf/atom.hpp>
#include <caf/message.hpp>

#include <utility>

namespace turnout {

namespace {

constexpr auto own_category = caf::detail::error_factory<ec>::category;

constexpr auto system_category = caf::atom("system");

} // namespace

const char* to_string(ec code) noexcept {
  switch (code) {
    case ec::none:
      return "none";
    case ec::bad_request:
      return "bad_request";
    case ec::unauthorized:
      return "unauthorized";
    case ec::no_session:
      return "no_session";
    case ec::forbidden:
      return "forbidden";
    case ec::not_found:
      return "not_found";
    case ec::method_not_allowed:
      return "method_not_allowed";
    case ec::conflict:
      return "conflict";
    case ec::in_progress:
      return "in_progress";
    case ec::too_large:
      return "too_large";
    case ec::unsupported_type:
      return "unsupported_type";
    case ec::invalid:
      return "invalid";
    case ec::rate_limited:
      return "rate_limited";
    case ec::headers_too_large:
      return "headers_too_large";
    case ec::internal:
      return "internal";
    case ec::unavailable:
      return "unavailable";
    case ec::stale:
      return "stale";
    case ec::schema_too_new:
      return "schema_too_new";
    case ec::schema_too_old:
      return "schema_too_old";
    case ec::plugin:
      return "plugin";
    case ec::config:
      return "config";
    case ec::journal:
      return "journal";
  }
  return "unknown";
}

caf::error make_error(ec code, std::string detail) {
  return caf::error{static_cast<uint8_t>(code), own_category,
                    caf::make_message(std::move(detail))};
}

std::string detail(const caf::error& err) {
  if (!err)
    return {};
  const auto& context = err.context();
  if (err.category() == own_category) {
    if (context.size() == 1 && context.match_element<std::string>(0))
      return context.get_as<std::string>(0);
    return to_string(static_cast<ec>(err.code()));
  }
  if (err.category() == system_category) {
    // Without an actor system CAF would print the code as a number.
    auto result = to_string(static_cast<caf::sec>(err.code()));
    if (!context.empty())
      result += caf::to_string(context);
    return result;
  }
  return caf::to_string(err);
}

ec code_of(const caf::error& err) noexcept {
  if (!err)
    return ec::none;
  if (err.category() == own_category) {
    if (err.code() <= static_cast<uint8_t>(ec::journal))
      return static_cast<ec>(err.code());
    return ec::internal;
  }
  if (err.category() == system_category) {
    switch (static_cast<caf::sec>(err.code())) {
      // The receiver did not answer, is gone, or died over the request: the
      // same request may succeed once it was restarted.
      case caf::sec::request_timeout:
      case caf::sec::request_receiver_down:
      case caf::sec::runtime_error:
        return ec::unavailable;
      default:
        return ec::internal;
    }
  }
  return ec::internal;
}

} // namespace turnout
