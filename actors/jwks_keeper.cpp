#include "actors/jwks_keeper.hpp"

#include "core/time.hpp"
#include "monitoring/log.hpp"

#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <utility>

namespace turnout {

namespace {

using clock = std::chrono::steady_clock;

/// How soon a failed fetch is tried again, unless it is time sooner.
constexpr auto retry_interval = std::chrono::milliseconds{5'000};

using keeper_pointer = jwks_keeper_actor::stateful_pointer<jwks_keeper_state>;

void fetch_keys(keeper_pointer self, const jwks_tools& tools) {
  auto& st = self->state;
  auto text = tools.fetch();
  caf::error problem;
  if (!text) {
    problem = text.error();
  } else if (auto keys = identity::key_set::from_jwks(*text)) {
    tools.verifier->replace(std::move(*keys));
  } else {
    problem = keys.error();
  }
  st.fetched = !problem;
  st.fetched_at = clock::now();
  if (problem) {
    tools.counters->jwks_failed->Increment();
    log::warning("the identity provider's keys cannot be fetched, those known "
                 "stay in force",
                 {{"error", detail(problem)}});
  } else {
    tools.counters->jwks_fetched->Increment();
  }
}

void answer_waiting(keeper_pointer self, const jwks_tools& tools) {
  auto& st = self->state;
  for (const auto& call : std::exchange(st.waiting, {}))
    answer_session(tools, *call, st.fetched, true);
  tools.counters->jwks_waiting->Set(0);
}

/// Lets a call wait for the next fetch that may be made.
void wait(keeper_pointer self, const jwks_tools& tools,
          const session_call_ptr& call) {
  auto& st = self->state;
  if (st.waiting.size() >= tools.max_waiting) {
    call->reply->deliver(
      make_error(ec::unavailable, "too many wait for the provider's keys"));
    return;
  }
  st.waiting.push_back(call);
  tools.counters->jwks_waiting->Set(static_cast<double>(st.waiting.size()));
  if (std::exchange(st.ticking, true))
    return;
  const auto left = st.fetched_at + tools.min_interval - clock::now();
  self->delayed_send(
    self,
    std::max(std::chrono::ceil<std::chrono::milliseconds>(left),
             std::chrono::milliseconds{0}),
    tick_atom::value);
}

} // namespace

bool answer_session(const jwks_tools& tools, const session_call& call,
                    bool fetched, bool is_last) {
  using kind = identity::token_verdict::kind;
  const auto verdict = tools.verifier->check(call.token, now());
  if (verdict.what == kind::unknown_key && !is_last)
    return false;
  if (verdict.what == kind::valid)
    call.reply->deliver(tools.open(verdict.claims));
  else if (verdict.what == kind::unknown_key && !fetched)
    call.reply->deliver(make_error(
      ec::unavailable, "the identity provider's keys cannot be fetched"));
  else
    call.reply->deliver(
      make_error(ec::no_session, "Missing or invalid session token."));
  return true;
}

jwks_keeper_actor::behavior_type jwks_keeper(keeper_pointer self,
                                             const jwks_tools& tools) {
  self->send(self, reload_atom::value);
  return {
    [=](const session_call_ptr& call) {
      // While it was on its way the keys may have come.
      if (!answer_session(tools, *call, true, false))
        wait(self, tools, call);
    },
    [=](tick_atom) {
      self->state.ticking = false;
      // A fetch because it was time has answered them.
      if (self->state.waiting.empty())
        return;
      fetch_keys(self, tools);
      answer_waiting(self, tools);
    },
    [=](reload_atom) {
      fetch_keys(self, tools);
      answer_waiting(self, tools);
      self->delayed_send(self,
                         self->state.fetched
                           ? tools.refresh_interval
                           : std::min(tools.refresh_interval, retry_interval),
                         reload_atom::value);
    },
  };
}

} // namespace turnout
