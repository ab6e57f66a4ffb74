#include "actors/turn_journal.hpp"

#include "core/error.hpp"
#include "monitoring/log.hpp"

#include <asio/post.hpp>

#include <thread>
#include <utility>

namespace turnout {

namespace {

/// How often an answer goes through the event loop until it is sent.
constexpr int hops_to_be_sent = 2;

} // namespace

turn_journal::turn_journal(reactor_pool& pool, size_t reactor,
                           std::unique_ptr<journal::writer> out,
                           metrics& counters)
  : x_pool(pool),
    x_reactor(reactor),
    x_out(std::move(out)),
    x_counters(counters) {
  // nop
}

void turn_journal::append(const journal::event& x, callback then) {
  if (x_waiting.empty())
    asio::post(x_pool.context(x_reactor), [this] { commit(); });
  x_out->append(x);
  x_waiting.push_back(std::move(then));
}

void turn_journal::commit() {
  const auto count = x_waiting.size();
  x_calling.swap(x_waiting);
  const auto err = x_out->commit();
  if (err) {
    x_counters.journal_failures->Increment();
    // One line when it begins to fail, not one per turn.
    if (!std::exchange(x_failing, true))
      log::error("journal cannot be written; redirects go on, their clicks are "
                 "lost until it can",
                 {{"error", detail(err)}});
  } else {
    if (std::exchange(x_failing, false))
      log::info("journal is written again");
    x_counters.journal_commits->Increment();
    x_counters.journal_events->Increment(static_cast<double>(count));
  }
  for (auto& then : x_calling)
    then(!err);
  x_calling.clear();
  if (x_pace.ends(count, turn_pace::clock::now())
      && !std::exchange(x_pause_is_due, true))
    pause_after(hops_to_be_sent);
}

void turn_journal::pause_after(int hops) {
  asio::post(x_pool.context(x_reactor), [this, hops] {
    if (hops > 0)
      return pause_after(hops - 1);
    x_pause_is_due = false;
    // Whoever waits for the next commit must not wait for this, too.
    if (x_waiting.empty())
      std::this_thread::sleep_for(turn_pace::pause);
  });
}

} // namespace turnout
