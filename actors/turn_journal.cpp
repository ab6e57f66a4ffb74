#include "actors/turn_journal.hpp"

#include "core/error.hpp"
#include "monitoring/log.hpp"

#include <asio/post.hpp>

#include <utility>

namespace turnout {

turn_journal::turn_journal(reactor_pool& pool, size_t reactor,
                           std::unique_ptr<journal::writer> out,
                           metrics& counters)
  : x_pool(pool),
    x_reactor(reactor),
    x_out(std::move(out)),
    x_counters(counters) {
  // nop
}

void turn_journal::append(journal::event x, callback then) {
  if (x_waiting.empty())
    asio::post(x_pool.context(x_reactor), [this] { commit(); });
  x_out->append(std::move(x));
  x_waiting.push_back(std::move(then));
}

void turn_journal::commit() {
  const auto count = static_cast<double>(x_waiting.size());
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
    x_counters.journal_events->Increment(count);
  }
  for (auto& then : x_calling)
    then(!err);
  x_calling.clear();
}

} // namespace turnout
