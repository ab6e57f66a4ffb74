#pragma once

#include "actors/interfaces.hpp"
#include "actors/winner_watch.hpp"
#include "monitoring/metrics.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <unordered_map>
#include <unordered_set>

namespace turnout {

/// What the WINNER JUDGE works with; everything outlives it.
struct winner_judge_tools {
  store_pool_actor pool;
  metrics* counters = nullptr;
  /// Links that it watches at most; those beyond are evaluated more often than
  /// necessary, never less often.
  size_t max_watched = 100'000;
  /// How long a recommendation that a reader saw to be due is left to those who
  /// stored the events that decide it: they know which one it was.
  std::chrono::milliseconds overdue_after{5000};
};

/// State of the WINNER JUDGE: the links to be evaluated, and what is known of
/// them.
class winner_judge_state {
public:
  static inline const char* name = "winner_judge";

  /// Notes new totals of a link.
  void note(const storage::link_totals& x);

  /// Notes that a link has to be looked at.
  void note_change(const uuid& link_id);

  /// Notes that a reader saw a while ago that the recommendation is due.
  void note_overdue(const uuid& link_id);

  /// Returns the next evaluation; nullopt when none is due.
  std::optional<winner_check> next();

  /// Ends an evaluation.
  void finish(const uuid& link_id, const winner_verdict& x);

  /// Puts an evaluation that could not be made back, behind the others.
  void fail(const winner_check& x);

  /// Number of links watched.
  size_t watched() const noexcept {
    return x_links.size();
  }

  winner_judge_tools tools;

  /// Whether an evaluation is under way, or the store has a rest after a
  /// failure. One at a time: evaluations must not keep requests from the store.
  bool busy = false;

  /// Whether the last evaluation failed.
  bool failing = false;

  /// Links whose recommendation a reader saw to be due, until their while is
  /// over.
  std::unordered_set<uuid> overdue;

private:
  struct watched_link {
    winner_watch watch;
    /// Whether it is in `x_due`.
    bool queued = false;
  };

  watched_link& find(const uuid& link_id);

  void enqueue(const uuid& link_id, watched_link& x);

  std::unordered_map<uuid, watched_link> x_links;
  /// Links that are due, each once.
  std::deque<uuid> x_due;
};

/// Behavior of the WINNER JUDGE.
winner_judge_actor::behavior_type
winner_judge(winner_judge_actor::stateful_pointer<winner_judge_state> self,
             const winner_judge_tools& tools);

} // namespace turnout
