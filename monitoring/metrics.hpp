#pragma once

#include "monitoring/thread_counter.hpp"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace turnout {

/// Every metric of Turnout, resolved once. Names are in metrics.cpp, which a
/// golden list under test mirrors. Counters and gauges are free of locks; a
/// histogram takes one, so that hot paths observe through `local_histogram`.
class metrics {
public:
  metrics();

  ~metrics();

  metrics(const metrics&) = delete;
  metrics& operator=(const metrics&) = delete;

  /// The registry, for the operator endpoint.
  prometheus::Registry& registry() noexcept {
    return *x_registry;
  }

  /// Renders everything, and what the system knows of the process, in the
  /// Prometheus text format. From any thread.
  std::string expose();

  /// Counts an API answer and its duration. From any thread.
  /// @param route template such as "/public/links/{id}", never a raw path;
  ///              beyond 64 different ones they are counted as "other".
  /// @param method anything but the usual methods is counted as "other".
  void api_request(std::string_view route, std::string_view method, int status,
                   double seconds);

  /// Counts a store operation and its duration; `operation` is the name of the
  /// backend's function. From any thread.
  void store_operation(const char* operation, bool ok, double seconds);

  // -- redirects --------------------------------------------------------------
  prometheus::Counter* redirects_found;
  prometheus::Counter* redirects_not_found;
  prometheus::Counter* redirects_unavailable;
  /// By `exclusion`.
  std::array<prometheus::Counter*, 4> excluded;
  prometheus::Histogram* redirect_seconds;
  prometheus::Counter* clicks_lost;

  // -- http -------------------------------------------------------------------
  prometheus::Gauge* in_flight;
  prometheus::Counter* refused_overload;
  /// Of an account, and of a client address without a valid key.
  prometheus::Counter* rate_limited_account;
  prometheus::Counter* rate_limited_address;
  prometheus::Gauge* connections_open;
  prometheus::Gauge* connections_limit;
  prometheus::Counter* connections_accepted;
  /// Because the limit is reached, and because the system refused one.
  prometheus::Counter* accept_pauses_limit;
  prometheus::Counter* accept_pauses_error;
  prometheus::Gauge* exports_running;
  prometheus::Counter* exports_refused;

  // -- identity ---------------------------------------------------------------
  prometheus::Counter* sign_ins_ok;
  prometheus::Counter* sign_ins_failed;
  prometheus::Counter* sign_ins_slowed;
  prometheus::Counter* sign_ins_refused;
  prometheus::Gauge* sign_in_queue;
  prometheus::Counter* jwks_fetched;
  prometheus::Counter* jwks_failed;
  prometheus::Gauge* jwks_waiting;

  // -- journal and drain ------------------------------------------------------
  prometheus::Counter* journal_events;
  prometheus::Counter* journal_commits;
  prometheus::Counter* journal_failures;
  prometheus::Gauge* journal_bytes;
  prometheus::Gauge* journal_limit_bytes;
  prometheus::Gauge* journal_depth;
  /// When the oldest event was made that is not in the store yet, in
  /// microseconds of Unix time; 0 for none. Its age is shown.
  std::atomic<int64_t> journal_oldest{0};
  prometheus::Gauge* drain_lag_seconds;
  prometheus::Counter* drain_events;
  prometheus::Counter* drain_failures;
  prometheus::Counter* drain_orphans;
  prometheus::Counter* conversions_by_pixel;
  prometheus::Counter* conversions_by_redirect;
  prometheus::Counter* conversions_by_call;
  prometheus::Counter* conversions_dropped;
  prometheus::Histogram* drain_batch_events;
  prometheus::Histogram* drain_seconds;

  // -- actors -----------------------------------------------------------------
  prometheus::Gauge* links_loaded;
  prometheus::Counter* links_passivated;
  prometheus::Counter* directory_hits;
  prometheus::Counter* directory_misses;
  /// Shown as a third result of the look-ups.
  thread_counter directory_unknown;
  prometheus::Gauge* unknown_slugs;
  prometheus::Gauge* store_up;
  prometheus::Counter* link_changes_seen;
  prometheus::Counter* key_changes_seen;
  prometheus::Gauge* store_queue;
  prometheus::Counter* store_refused;
  prometheus::Counter* actor_restarts;
  prometheus::Gauge* keys_active;

  // -- winner -----------------------------------------------------------------
  prometheus::Counter* winner_evaluations;
  prometheus::Counter* recommendations;

  // -- what lies on the disk --------------------------------------------------
  prometheus::Gauge* data_free_bytes;
  prometheus::Gauge* geo_loaded;
  /// Not a number while there is no database.
  prometheus::Gauge* geo_age_seconds;

private:
  struct label_cache;

  std::shared_ptr<prometheus::Registry> x_registry;
  prometheus::Family<prometheus::Counter>* x_api_requests;
  prometheus::Family<prometheus::Histogram>* x_api_seconds;
  prometheus::Family<prometheus::Counter>* x_store_operations;
  prometheus::Family<prometheus::Histogram>* x_store_seconds;
  prometheus::Counter* x_directory_unknown;
  prometheus::Gauge* x_journal_oldest_age;
  /// Held while what is counted elsewhere is brought in.
  std::mutex x_expose_mtx;
  std::unique_ptr<label_cache> x_labels;
};

} // namespace turnout
