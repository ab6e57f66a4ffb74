#include "app/reload.hpp"

#include "app/files.hpp"
#include "config/setting.hpp"
#include "monitoring/log.hpp"

#include <string_view>
#include <utility>

namespace turnout::app {

namespace {

/// Appends to a list in one field of a log line.
void append(std::string& list, std::string_view what) {
  if (!list.empty())
    list += "; ";
  list += what;
}

/// Whether this level keeps "settings reloaded" out of the log.
bool is_quiet(std::string_view level) noexcept {
  return level == "warning" || level == "error";
}

} // namespace

reloader::reloader(settings running, config::sources from, node& actors,
                   public_server& server, geo_lookup& geo)
  : x_running{std::move(running)},
    x_from{std::move(from)},
    x_actors{actors},
    x_server{server},
    x_geo{geo} {
  // nop
}

void reloader::run() {
  auto loaded = config::load(x_from);
  if (!loaded)
    return log::error("settings not reloaded, everything stays as it was",
                      {{"error", detail(loaded.error())}});
  for (const auto& warning : loaded->warnings)
    log::warning(warning);
  auto next = x_running;
  std::string changed;
  std::string waiting;
  for (const auto& x : config::differences(x_running, loaded->values)) {
    if (!x.which->reloads) {
      append(waiting, x.which->name());
      continue;
    }
    x.which->write(next, x.after);
    append(changed, x.which->name() + ": " + config::to_toml(*x.which, x.before)
                      + " -> " + config::to_toml(*x.which, x.after));
  }
  if (auto err = apply(next))
    return log::error("settings not reloaded, everything stays as it was",
                      {{"error", detail(err)}});
  const auto was_quiet = is_quiet(x_running.log.level);
  x_running = std::move(next);
  // Between two levels the more talkative one writes the line.
  if (was_quiet)
    log::set_level(x_running.log.level);
  log::info("settings reloaded",
            {{"changed", changed.empty() ? "nothing" : changed},
             {"needs_restart", waiting.empty() ? "nothing" : waiting}});
  log::set_level(x_running.log.level);
}

caf::error reloader::apply(const settings& next) {
  // First what can fail.
  if (next.geo.database != x_running.geo.database)
    if (auto err = x_geo.use(country_database(next)))
      return err;
  x_server.apply(next);
  x_actors.apply(next);
  return caf::none;
}

} // namespace turnout::app
