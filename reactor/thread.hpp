#pragma once

#include <functional>
#include <string>
#include <thread>

namespace turnout {

/// Starts a thread that bears a name (at most 15 characters) and never takes
/// SIGTERM or SIGINT: these are for the main thread.
std::thread start_thread(const std::string& name, std::function<void()> body);

/// Has the kernel run the calling thread soon after it wakes, also while others
/// compute on its core, for which it takes the core for shorter at a time. Its
/// share of the core stays as it is. Linux knows that from 6.12 on; older ones
/// do nothing.
void prefer_short_slices() noexcept;

/// Makes the calling thread nicer by so much, at most 19 in all. It could not
/// become less nice again.
void be_nicer(int by) noexcept;

} // namespace turnout
