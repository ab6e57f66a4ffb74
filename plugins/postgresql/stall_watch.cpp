#include "plugins/postgresql/stall_watch.hpp"

#include "plugins/postgresql/server_connection.hpp"

#include <sys/socket.h>

namespace turnout::postgresql {

stall_watch& stall_watch::instance() {
  static stall_watch result{std::chrono::seconds{1}};
  return result;
}

stall_watch::stall_watch(duration interval)
  : x_interval(interval), x_thread([this] { run(); }) {
  // nop
}

stall_watch::~stall_watch() {
  {
    std::lock_guard guard{x_mutex};
    x_stop = true;
  }
  x_stopped.notify_one();
  x_thread.join();
}

void stall_watch::add(plugins::connection* db, duration patience) {
  const auto socket = PQsocket(raw(*db));
  std::lock_guard guard{x_mutex};
  x_entries[db] = {socket, patience};
}

void stall_watch::remove(plugins::connection* db) {
  std::lock_guard guard{x_mutex};
  x_entries.erase(db);
}

void stall_watch::expect(plugins::connection* db, duration patience) {
  std::lock_guard guard{x_mutex};
  if (auto i = x_entries.find(db); i != x_entries.end())
    i->second.patience = patience;
}

void stall_watch::run() {
  std::unique_lock guard{x_mutex};
  while (!x_stopped.wait_for(guard, x_interval, [this] { return x_stop; })) {
    const auto now = std::chrono::steady_clock::now();
    for (const auto& [db, x] : x_entries) {
      const auto since = db->waiting_since();
      // Whoever waits in libpq wakes up and finds the connection lost. The
      // descriptor stays open, so that nobody else can get its number.
      if (since && now - *since > x.patience)
        shutdown(x.socket, SHUT_RDWR);
    }
  }
}

} // namespace turnout::postgresql
