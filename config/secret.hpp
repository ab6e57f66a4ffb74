#pragma once

#include <string>
#include <string_view>

namespace turnout::config {

/// Returns a connection string with `***` in place of its passwords: those of
/// `scheme://user:password@host`, `password=…` and `sslpassword=…`.
std::string mask_secret(std::string_view dsn);

} // namespace turnout::config
