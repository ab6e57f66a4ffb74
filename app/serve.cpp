#include "app/serve.hpp"

#include "actors/node.hpp"
#include "app/accounts.hpp"
#include "app/command_line.hpp"
#include "app/files.hpp"
#include "app/limits.hpp"
#include "app/output.hpp"
#include "app/reload.hpp"
#include "app/signals.hpp"
#include "app/store.hpp"
#include "app/version.hpp"
#include "core/time.hpp"
#include "http/geo.hpp"
#include "http/operator_server.hpp"
#include "http/server.hpp"
#include "journal/directory_lock.hpp"
#include "monitoring/log.hpp"
#include "monitoring/metrics.hpp"
#include "reactor/reactor_pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <limits>
#include <thread>

namespace turnout::app {

namespace {

using namespace std::chrono_literals;

/// How often the country database is looked at.
constexpr auto housekeeping_interval = 2s;

/// Requests under way may take this long after a stop was asked for.
constexpr auto finish_time = 4s;

/// The DRAIN may take this long after that.
constexpr auto drain_time = 3s;

size_t reactor_count(const settings& options) {
  if (options.http.reactors > 0)
    return static_cast<size_t>(options.http.reactors);
  return std::max(1u, std::thread::hardware_concurrency());
}

void greet(const first_account& first, const std::string& base_url) {
  const auto root
    = base_url.substr(0, base_url.find('/', base_url.find("://") + 3));
  std::cout << "This is a new store. Its first account and key, shown only "
               "now:\n"
            << "  e-mail    " << first.email << '\n'
            << "  password  " << first.password << '\n'
            << "  API key   " << first.key << '\n'
            << "Open " << root << "/ in a browser and sign in, or try:\n"
            << "  curl -s " << base_url << "/public/links"
            << " -H 'X-API-Key: " << first.key << "'"
            << " --json '{\"name\":\"First link\",\"variants\":["
            << "{\"label\":\"A\",\"destination_url\":\"https://example.com/a\","
            << "\"weight\":50},"
            << "{\"label\":\"B\",\"destination_url\":\"https://example.com/b\","
            << "\"weight\":50}]}'\n";
}

void finish_requests(const public_server& server) {
  const auto end = std::chrono::steady_clock::now() + finish_time;
  while (server.in_flight() > 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(10ms);
}

/// Shows the space that is left, and the age of the country database.
void show_disk(const std::filesystem::path& data_dir, const geo_lookup& geo,
               metrics& counters) {
  std::error_code err;
  const auto space = std::filesystem::space(data_dir, err);
  if (!err)
    counters.data_free_bytes->Set(static_cast<double>(space.available));
  const auto built = geo.built();
  counters.geo_loaded->Set(built ? 1 : 0);
  counters.geo_age_seconds->Set(
    built ? std::chrono::duration<double>(now().time_since_epoch()).count()
              - static_cast<double>(*built)
          : std::numeric_limits<double>::quiet_NaN());
}

/// Migrates and, in an empty store, makes the first account.
caf::expected<std::optional<first_account>>
prepare_store(const storage::backend_factory& open) {
  auto db = open();
  if (!db)
    return std::move(db.error());
  if (auto err = (*db)->migrate())
    return err;
  return make_first_account(**db);
}

} // namespace

int serve(const settings& options, const config::sources& from) {
  const stop_signals signals;
  raise_open_files();
  auto open = load_store(options);
  if (!open)
    return fail(open.error());
  auto lock = journal::directory_lock::acquire(options.data_dir);
  if (!lock)
    return fail(lock.error());
  auto first = prepare_store(*open);
  if (!first)
    return fail(first.error());

  metrics counters;
  geo_lookup geo{country_database(options)};
  reactor_pool reactors{reactor_count(options)};
  reactors.start();
  std::atomic<bool> gave_up = false;
  auto running = node::start(
    options, std::move(*open), reactors, counters,
    [&](const std::string& reason) {
      log::error("the service cannot go on", {{"reason", reason}});
      gave_up = true;
      stop_signals::raise();
    });
  if (!running)
    return fail(running.error());
  auto& service = **running;
  const auto stop_node = [&] {
    service.stop(drain_time);
    reactors.stop();
  };
  public_server server{reactors, service, options, counters, geo};
  auto address = server.start();
  if (!address) {
    stop_node();
    return fail(address.error());
  }
  operator_server operators{service, options, counters};
  auto operator_address = operators.start();
  if (!operator_address) {
    server.close();
    stop_node();
    return fail(operator_address.error());
  }
  if (*first)
    greet(**first, server.base_url());
  std::cout << "listening public=http://" << *address << " operator=http://"
            << *operator_address << std::endl;
  log::info("started", {{"version", version()},
                        {"public", *address},
                        {"operator", *operator_address}});

  reloader settings_again{options, from, service, server, geo};
  for (;;) {
    show_disk(options.data_dir, geo, counters);
    const auto signal = signals.wait(housekeeping_interval);
    if (!signal)
      geo.refresh();
    else if (signals.asks_for_reload(*signal))
      settings_again.run();
    else
      break;
  }

  log::info("stopping");
  server.stop_accepting();
  finish_requests(server);
  server.close();
  stop_node();
  operators.close();
  log::info("stopped");
  return gave_up ? failed : done;
}

} // namespace turnout::app
