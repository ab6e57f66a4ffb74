#include "actors/winner_judge.hpp"

#include "actors/store_call.hpp"
#include "monitoring/log.hpp"

#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace turnout {

// -- state --------------------------------------------------------------------

winner_judge_state::watched_link&
winner_judge_state::find(const uuid& link_id) {
  if (auto i = x_links.find(link_id); i != x_links.end())
    return i->second;
  if (x_links.size() >= tools.max_watched) {
    // Whichever comes first: a link that is not watched is evaluated anew.
    const auto victim
      = std::find_if(x_links.begin(), x_links.end(),
                     [](const auto& x) { return !x.second.queued; });
    if (victim != x_links.end())
      x_links.erase(victim);
  }
  return x_links.emplace(link_id, watched_link{winner_watch{link_id}})
    .first->second;
}

void winner_judge_state::enqueue(const uuid& link_id, watched_link& x) {
  if (x.watch.is_due() && !std::exchange(x.queued, true))
    x_due.push_back(link_id);
}

void winner_judge_state::note(const storage::link_totals& x) {
  auto& entry = find(x.link_id);
  entry.watch.note(x);
  enqueue(x.link_id, entry);
}

void winner_judge_state::note_change(const uuid& link_id) {
  auto& entry = find(link_id);
  entry.watch.note_change();
  enqueue(link_id, entry);
}

void winner_judge_state::note_overdue(const uuid& link_id) {
  auto& entry = find(link_id);
  entry.watch.note_overdue();
  enqueue(link_id, entry);
}

std::optional<winner_check> winner_judge_state::next() {
  if (x_due.empty())
    return std::nullopt;
  auto& entry = x_links.at(x_due.front());
  x_due.pop_front();
  entry.queued = false;
  return entry.watch.take();
}

void winner_judge_state::finish(const uuid& link_id, const winner_verdict& x) {
  if (auto i = x_links.find(link_id); i != x_links.end())
    i->second.watch.finish(x);
}

void winner_judge_state::fail(const winner_check& x) {
  auto& entry = find(x.link_id);
  entry.watch.fail(x);
  enqueue(x.link_id, entry);
}

// -- behavior -----------------------------------------------------------------

namespace {

/// How long the store is left in peace after a failure.
constexpr auto retry_delay = std::chrono::seconds{1};

using judge_pointer = winner_judge_actor::stateful_pointer<winner_judge_state>;

void announce(const uuid& link_id, const recommendation& x) {
  log::info("winner recommended",
            {{"link", link_id.str()},
             {"variant", x.label},
             {"generation", std::to_string(x.generation)},
             {"ln_evidence", std::to_string(x.ln_evidence)},
             {"trigger", to_string(x.trigger)}});
}

void evaluate_next(judge_pointer self) {
  auto& st = self->state;
  if (st.busy)
    return;
  auto check = st.next();
  if (!check)
    return;
  st.busy = true;
  st.tools.counters->winner_evaluations->Increment();
  store_call<winner_verdict>(
    self, st.tools.pool, "evaluate_winner",
    [check = *check](storage::backend& db) {
      return evaluate_winner(db, check, now());
    },
    [=, check = *check](caf::expected<winner_verdict>& result) {
      auto& st = self->state;
      if (!result) {
        // The first failure of a row is worth a line.
        if (!std::exchange(st.failing, true))
          log::warning(
            "winner not evaluated, it is tried again",
            {{"link", check.link_id.str()}, {"error", detail(result.error())}});
        st.fail(check);
        self->delayed_send(self, retry_delay, tick_atom::value);
        return;
      }
      st.busy = st.failing = false;
      if (result->made) {
        st.tools.counters->recommendations->Increment();
        announce(check.link_id, *result->made);
      }
      st.finish(check.link_id, *result);
      evaluate_next(self);
    });
}

} // namespace

winner_judge_actor::behavior_type
winner_judge(judge_pointer self, const winner_judge_tools& tools) {
  self->state.tools = tools;
  return {
    [=](const touched_links_ptr& touched) {
      for (const auto& x : *touched)
        self->state.note(x);
      evaluate_next(self);
    },
    [=](reload_atom, const uuid& link_id) {
      self->state.note_change(link_id);
      evaluate_next(self);
    },
    [=](overdue_atom, const uuid& link_id) {
      auto& st = self->state;
      if (st.overdue.insert(link_id).second)
        self->delayed_send(self, st.tools.overdue_after, tick_atom::value,
                           link_id);
    },
    [=](tick_atom, const uuid& link_id) {
      self->state.overdue.erase(link_id);
      self->state.note_overdue(link_id);
      evaluate_next(self);
    },
    [=](tick_atom) {
      self->state.busy = false;
      evaluate_next(self);
    },
  };
}

} // namespace turnout
