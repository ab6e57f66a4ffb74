#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace turnout {

/// A thread of low priority, for work that may wait until a core has nothing
/// else to do. A thread that lowers its own priority could not raise it again,
/// so work that is more urgent at times needs several.
class background_thread {
public:
  /// @param name at most 15 characters.
  /// @param niceness how much nicer than others it is. On a core that never has
  ///                 nothing else to do, 5 gets it a quarter and 15 a
  ///                 thirtieth of the time.
  background_thread(const std::string& name, int niceness);

  background_thread(const background_thread&) = delete;

  background_thread& operator=(const background_thread&) = delete;

  ~background_thread();

  /// Runs `f` and waits for its end; what it throws is thrown here. To be
  /// called by one thread at a time.
  void run(const std::function<void()>& f);

  /// Has the others who wait for this core go first when the turn of this
  /// thread is over (core/core_turn.hpp). To be called often in the middle of
  /// work; outside of background threads it does nothing.
  static void give_way() noexcept;

private:
  void serve(int niceness);

  std::mutex x_mutex;
  std::condition_variable x_changed;
  const std::function<void()>* x_work = nullptr;
  std::exception_ptr x_failure;
  bool x_stop = false;
  std::thread x_thread;
};

} // namespace turnout
