#pragma once

#include "monitoring/log.hpp"

#include <string>

namespace turnout {

/// Logs what a journal reports of damage that does not stop it.
inline void report_journal(const std::string& text) {
  log::warning("journal damaged", {{"what", text}});
}

} // namespace turnout
