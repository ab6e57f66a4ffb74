#pragma once

#include <functional>
#include <string>
#include <thread>

namespace turnout {

/// Starts a thread that bears a name (at most 15 characters) and never takes
/// SIGTERM or SIGINT: these are for the main thread.
std::thread start_thread(const std::string& name, std::function<void()> body);

} // namespace turnout
