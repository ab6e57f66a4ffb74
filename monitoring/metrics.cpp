#include "monitoring/metrics.hpp"

#include "core/time.hpp"
#include "monitoring/buckets.hpp"
#include "monitoring/process.hpp"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <unordered_map>

namespace turnout {

namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Registry;

/// Different routes that get labels of their own. There are about 20; the bound
/// keeps a mistake elsewhere from filling the memory.
constexpr size_t max_routes = 64;

constexpr std::string_view other = "other";

/// Registers the families of one registry.
struct factory {
  Registry& registry;

  Family<Counter>& counters(const char* name, const char* help) const {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
  }

  Family<Histogram>& histograms(const char* name, const char* help) const {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(
      registry);
  }

  Counter* counter(const char* name, const char* help) const {
    return &counters(name, help).Add({});
  }

  Gauge* gauge(const char* name, const char* help) const {
    return &prometheus::BuildGauge()
              .Name(name)
              .Help(help)
              .Register(registry)
              .Add({});
  }

  Histogram* histogram(const char* name, const char* help,
                       const Histogram::BucketBoundaries& bounds) const {
    return &histograms(name, help).Add({}, bounds);
  }
};

std::string_view method_label(std::string_view method) noexcept {
  constexpr std::string_view known[]
    = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"};
  return std::find(std::begin(known), std::end(known), method)
             != std::end(known)
           ? method
           : other;
}

struct label_pair {
  Counter* count = nullptr;
  Histogram* seconds = nullptr;
};

/// Label sets met so far, so that the families' own look-up (which builds and
/// hashes a map of strings) is paid once for each.
class cache {
public:
  template <class Make>
  label_pair get(const std::string& key, Make make) {
    {
      std::shared_lock guard{x_mutex};
      if (auto i = x_pairs.find(key); i != x_pairs.end())
        return i->second;
    }
    std::unique_lock guard{x_mutex};
    auto [i, added] = x_pairs.try_emplace(key);
    if (added)
      i->second = make();
    return i->second;
  }

private:
  std::shared_mutex x_mutex;
  std::unordered_map<std::string, label_pair> x_pairs;
};

/// The routes that have labels of their own.
class route_set {
public:
  /// Returns `route`, or "other" for a new one beyond the bound.
  std::string_view admit(std::string_view route) {
    {
      std::shared_lock guard{x_mutex};
      if (x_routes.find(route) != x_routes.end())
        return route;
      if (x_routes.size() >= max_routes)
        return other;
    }
    std::unique_lock guard{x_mutex};
    if (x_routes.size() >= max_routes && x_routes.find(route) == x_routes.end())
      return other;
    x_routes.emplace(route);
    return route;
  }

private:
  std::shared_mutex x_mutex;
  std::set<std::string, std::less<>> x_routes;
};

} // namespace

struct metrics::label_cache {
  route_set routes;
  cache api;
  cache store;
};

metrics::metrics()
  : x_registry(std::make_shared<Registry>()),
    x_labels(std::make_unique<label_cache>()) {
  factory make{*x_registry};
  prometheus::BuildGauge()
    .Name("turnout_build_info")
    .Help("Always 1; the labels say what is running.")
    .Register(*x_registry)
    .Add({{"version", TURNOUT_VERSION}}, 1);
  // -- redirects --------------------------------------------------------------
  auto& redirects = make.counters("turnout_redirects_total",
                                  "Visits of short links by how they were "
                                  "answered.");
  redirects_found = &redirects.Add({{"outcome", "found"}});
  redirects_not_found = &redirects.Add({{"outcome", "not_found"}});
  redirects_unavailable = &redirects.Add({{"outcome", "unavailable"}});
  auto& exclusions = make.counters("turnout_visits_excluded_total",
                                   "Visits that were redirected but do not "
                                   "count as clicks, by reason.");
  const char* reasons[] = {"head", "prefetch", "preview", "crawler"};
  for (size_t i = 0; i < excluded.size(); ++i)
    excluded[i] = &exclusions.Add({{"reason", reasons[i]}});
  redirect_seconds = make.histogram("turnout_redirect_duration_seconds",
                                    "Time from a parsed request to its answer.",
                                    buckets::redirect_seconds);
  clicks_lost = make.counter("turnout_clicks_lost_total",
                             "Clicks that were redirected but could not be "
                             "journaled.");
  // -- http -------------------------------------------------------------------
  in_flight = make.gauge("turnout_http_requests_in_flight",
                         "Requests that wait for their answer.");
  refused_overload = make.counter("turnout_http_requests_refused_total",
                                  "Requests answered 503 because too many "
                                  "were in flight.");
  auto& limited = make.counters("turnout_http_rate_limited_total",
                                "API requests answered 429, by whose limit: "
                                "an account's, or an address's without a valid "
                                "key.");
  rate_limited_account = &limited.Add({{"scope", "account"}});
  rate_limited_address = &limited.Add({{"scope", "address"}});
  connections_open = make.gauge("turnout_http_connections_open",
                                "Open connections of the public listener.");
  connections_limit = make.gauge("turnout_http_connections_limit",
                                 "Connections of the public listener beyond "
                                 "which further ones wait.");
  connections_accepted = make.counter("turnout_http_connections_accepted_total",
                                      "Connections that were accepted.");
  auto& pauses = make.counters("turnout_http_accept_pauses_total",
                               "Times that a reactor stopped accepting "
                               "connections for a while, by reason: its limit, "
                               "or an error of the system.");
  accept_pauses_limit = &pauses.Add({{"reason", "limit"}});
  accept_pauses_error = &pauses.Add({{"reason", "error"}});
  exports_running = make.gauge("turnout_exports_running",
                               "Exports of clicks that are under way.");
  exports_refused = make.counter("turnout_exports_refused_total",
                                 "Exports of clicks answered 503 because too "
                                 "many were under way.");
  x_api_requests = &make.counters("turnout_api_requests_total",
                                  "API answers by route template, method and "
                                  "status.");
  x_api_seconds = &make.histograms("turnout_api_request_duration_seconds",
                                   "Time from a parsed API request to its "
                                   "answer.");
  // -- identity ---------------------------------------------------------------
  auto& sign_ins = make.counters("turnout_sign_ins_total",
                                 "Attempts to sign in or to refresh a session, "
                                 "by result: slowed for too many failures, "
                                 "refused for a full queue.");
  sign_ins_ok = &sign_ins.Add({{"result", "ok"}});
  sign_ins_failed = &sign_ins.Add({{"result", "failed"}});
  sign_ins_slowed = &sign_ins.Add({{"result", "slowed"}});
  sign_ins_refused = &sign_ins.Add({{"result", "refused"}});
  sign_in_queue = make.gauge("turnout_sign_in_queue_calls",
                             "Attempts to sign in that are under way.");
  auto& fetches = make.counters("turnout_jwks_fetches_total",
                                "Fetches of the identity provider's keys by "
                                "result.");
  jwks_fetched = &fetches.Add({{"result", "ok"}});
  jwks_failed = &fetches.Add({{"result", "error"}});
  jwks_waiting = make.gauge("turnout_jwks_waiting_calls",
                            "Requests that wait for the identity provider's "
                            "keys.");
  // -- journal and drain ------------------------------------------------------
  journal_events = make.counter("turnout_journal_events_total",
                                "Events committed to the journal.");
  journal_commits
    = make.counter("turnout_journal_commits_total", "Commits of the journal.");
  journal_failures = make.counter("turnout_journal_failures_total",
                                  "Commits of the journal that failed.");
  journal_bytes
    = make.gauge("turnout_journal_size_bytes", "Size of all journal segments.");
  journal_limit_bytes = make.gauge("turnout_journal_limit_bytes",
                                   "Size of all journals at which clicks are "
                                   "lost.");
  x_journal_oldest_age
    = make.gauge("turnout_journal_oldest_event_age_seconds",
                 "Age of the oldest event that is not in the store yet; 0 for "
                 "none.");
  journal_depth = make.gauge("turnout_journal_depth_events",
                             "Journaled events that are not in the store yet.");
  drain_lag_seconds = make.gauge("turnout_drain_lag_seconds",
                                 "How long the oldest event of the last "
                                 "round took into the store; 0 when there was "
                                 "nothing to do.");
  drain_events = make.counter("turnout_drain_events_total",
                              "Events moved from the journal to the store.");
  drain_failures = make.counter("turnout_drain_failures_total",
                                "Batches that the store did not take; they "
                                "are tried again.");
  drain_orphans = make.counter("turnout_drain_orphans_total",
                               "Events of links or variants that the store "
                               "does not know.");
  auto& conversions = make.counters("turnout_conversion_requests_total",
                                    "Conversions that were asked for, by way.");
  conversions_by_pixel = &conversions.Add({{"source", "pixel"}});
  conversions_by_redirect = &conversions.Add({{"source", "redirect"}});
  conversions_by_call = &conversions.Add({{"source", "call"}});
  conversions_dropped = make.counter("turnout_conversions_dropped_total",
                                     "Pixels and redirecting conversions "
                                     "without a click to credit.");
  drain_batch_events
    = make.histogram("turnout_drain_batch_events", "Events in a drained batch.",
                     buckets::batch_events);
  drain_seconds
    = make.histogram("turnout_drain_duration_seconds",
                     "Time to store a drained batch.", buckets::store_seconds);
  // -- actors -----------------------------------------------------------------
  links_loaded = make.gauge("turnout_links_loaded", "Links in memory.");
  links_passivated = make.counter("turnout_links_passivated_total",
                                  "Links that left memory because nobody "
                                  "visited them.");
  auto& lookups = make.counters("turnout_directory_lookups_total",
                                "Look-ups of slugs in memory, by result: "
                                "the link is there, nothing is known, or no "
                                "link is known to have the slug.");
  directory_hits = &lookups.Add({{"result", "hit"}});
  directory_misses = &lookups.Add({{"result", "miss"}});
  x_directory_unknown = &lookups.Add({{"result", "unknown"}});
  unknown_slugs
    = make.gauge("turnout_unknown_slugs", "Slugs remembered as unknown.");
  store_up = make.gauge("turnout_store_up",
                        "Whether the store answered when it was asked for "
                        "changes last, some times a second: 1 or 0.");
  auto& changes = make.counters("turnout_store_changes_total",
                                "Changes read from the store's list, by what "
                                "was changed; those of other processes "
                                "included.");
  link_changes_seen = &changes.Add({{"kind", "link"}});
  key_changes_seen = &changes.Add({{"kind", "key"}});
  store_queue = make.gauge("turnout_store_queue_calls",
                           "Calls that wait for a store worker.");
  store_refused = make.counter("turnout_store_refused_total",
                               "Calls refused because the store's queue was "
                               "full.");
  x_store_operations = &make.counters("turnout_store_operations_total",
                                      "Store operations by result.");
  x_store_seconds = &make.histograms("turnout_store_operation_duration_"
                                     "seconds",
                                     "Duration of store operations.");
  actor_restarts = make.counter("turnout_actor_restarts_total",
                                "Actors started again after a failure.");
  keys_active
    = make.gauge("turnout_api_keys_active", "API keys that are not revoked.");
  // -- winner -----------------------------------------------------------------
  winner_evaluations = make.counter("turnout_winner_evaluations_total",
                                    "Evaluations of links that ask for a "
                                    "winner.");
  recommendations = make.counter("turnout_winner_recommendations_total",
                                 "Recommendations made by this node.");
  // -- what lies on the disk --------------------------------------------------
  data_free_bytes = make.gauge("turnout_data_free_bytes",
                               "Space left for the data directory.");
  geo_loaded = make.gauge("turnout_geo_database_loaded",
                          "Whether a country database is in use: 1 or 0.");
  geo_age_seconds = make.gauge("turnout_geo_database_age_seconds",
                               "Time since the country database in use was "
                               "built; not a number without one.");
  geo_age_seconds->Set(std::numeric_limits<double>::quiet_NaN());
}

metrics::~metrics() = default;

std::string metrics::expose() {
  {
    std::lock_guard guard{x_expose_mtx};
    x_directory_unknown->Increment(
      static_cast<double>(directory_unknown.value())
      - x_directory_unknown->Value());
    const auto oldest = journal_oldest.load(std::memory_order_relaxed);
    const std::chrono::duration<double> age
      = now() - timestamp{std::chrono::microseconds{oldest}};
    x_journal_oldest_age->Set(oldest == 0 ? 0 : std::max(0.0, age.count()));
  }
  auto families = x_registry->Collect();
  auto process = collect_process();
  families.insert(families.end(), std::make_move_iterator(process.begin()),
                  std::make_move_iterator(process.end()));
  return prometheus::TextSerializer{}.Serialize(families);
}

void metrics::api_request(std::string_view route, std::string_view method,
                          int status, double seconds) {
  auto r = std::string{x_labels->routes.admit(route)};
  auto m = std::string{method_label(method)};
  auto s = status >= 100 && status <= 599 ? std::to_string(status)
                                          : std::string{other};
  auto pair = x_labels->api.get(r + ' ' + m + ' ' + s, [&] {
    return label_pair{
      &x_api_requests->Add({{"route", r}, {"method", m}, {"status", s}}),
      &x_api_seconds->Add({{"route", r}, {"method", m}},
                          buckets::store_seconds)};
  });
  pair.count->Increment();
  pair.seconds->Observe(seconds);
}

void metrics::store_operation(const char* operation, bool ok, double seconds) {
  std::string name{operation};
  auto result = ok ? "ok" : "error";
  auto pair = x_labels->store.get(name + ' ' + result, [&] {
    return label_pair{
      &x_store_operations->Add({{"operation", name}, {"result", result}}),
      &x_store_seconds->Add({{"operation", name}}, buckets::store_seconds)};
  });
  pair.count->Increment();
  pair.seconds->Observe(seconds);
}

} // namespace turnout
