#include "actors/root_supervisor.hpp"

#include "actors/messages.hpp"
#include "core/error.hpp"
#include "monitoring/log.hpp"

#include <caf/behavior.hpp>
#include <caf/exit_reason.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <utility>

namespace turnout {

namespace {

using clock = std::chrono::steady_clock;

constexpr size_t max_deaths = 5;
constexpr auto death_window = std::chrono::seconds{60};

struct supervised {
  std::vector<child_spec> specs;
  std::vector<caf::actor> actors;
  std::deque<clock::time_point> deaths;
  bool gave_up = false;
};

} // namespace

caf::behavior root_supervisor(caf::event_based_actor* self,
                              std::vector<child_spec> children,
                              std::function<void()> count_restart,
                              std::function<void(std::string)> give_up) {
  auto st = std::make_shared<supervised>();
  st->specs = std::move(children);
  for (const auto& spec : st->specs) {
    st->actors.push_back(spec.start());
    self->monitor(st->actors.back());
  }
  const auto end = [=](std::string reason) {
    if (!std::exchange(st->gave_up, true))
      give_up(std::move(reason));
  };
  self->set_down_handler([=](const caf::down_msg& msg) {
    const auto i = std::find(st->actors.begin(), st->actors.end(), msg.source);
    if (i == st->actors.end() || st->gave_up)
      return;
    const auto& spec = st->specs[static_cast<size_t>(i - st->actors.begin())];
    log::error("actor died",
               {{"actor", spec.name}, {"error", detail(msg.reason)}});
    const auto t = clock::now();
    st->deaths.push_back(t);
    while (t - st->deaths.front() > death_window)
      st->deaths.pop_front();
    if (!spec.restartable || st->deaths.size() > max_deaths) {
      end(spec.name + " died and cannot be restarted: " + detail(msg.reason));
      return;
    }
    count_restart();
    *i = spec.start();
    self->monitor(*i);
  });
  self->set_exit_handler([=](const caf::exit_msg& msg) {
    st->gave_up = true; // Deaths from now on are wanted.
    for (auto i = st->actors.rbegin(); i != st->actors.rend(); ++i)
      self->send_exit(*i, caf::exit_reason::user_shutdown);
    st->actors.clear();
    self->quit(msg.reason);
  });
  return {
    [](tick_atom) {
      // nop: an actor without a handler would end at once.
    },
  };
}

} // namespace turnout
