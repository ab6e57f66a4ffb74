#pragma once

#include "core/error.hpp"

#include <string>
#include <utility>

namespace turnout::plugins {

/// Leaves a transaction from within; ends at the border of the plugin, where it
/// becomes the error it carries. The connection is in order when it is thrown.
struct failure {
  caf::error reason;
};

/// Leaves a transaction whose reads were overtaken by another one; it is tried
/// again.
struct raced {};

/// Throws a `failure`.
[[noreturn]] inline void fail(ec code, std::string text) {
  throw failure{make_error(code, std::move(text))};
}

} // namespace turnout::plugins
