#pragma once

#include "actors/node.hpp"
#include "config/loader.hpp"
#include "http/geo.hpp"
#include "http/server.hpp"

#include <string>

namespace turnout::app {

/// Reads the settings again while the service runs and hands on those that may
/// change: all of them or, when anything is wrong, none. The log says what
/// happened. For one thread.
class reloader {
public:
  /// @param running what is in force.
  /// @param from where it came from, and is read again.
  reloader(settings running, config::sources from, node& actors,
           public_server& server, geo_lookup& geo);

  /// Reads and applies once.
  void run();

private:
  caf::error apply(const settings& next);

  settings x_running;
  const config::sources x_from;
  node& x_actors;
  public_server& x_server;
  geo_lookup& x_geo;
};

} // namespace turnout::app
