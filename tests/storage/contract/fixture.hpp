#pragma once

#include "core/changes.hpp"
#include "core/identifiers.hpp"
#include "storage/plugin_loader.hpp"
#include "tests/storage/contract/raw_store.hpp"
#include "tests/storage/temporary_directory.hpp"

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace turnout::test {

using namespace turnout::storage;

/// Names of the plugins that the contract suite runs over.
std::vector<std::string> plugins_under_test();

/// Returns a moment of 2026-03-10 or, with `days`, so many days later.
timestamp moment(int hour = 12, int minute = 0, int days = 0);

/// Day of `moment()`.
day_number first_day();

/// Collects events for `store_events` the way a drain does.
class batch_builder {
public:
  explicit batch_builder(const uuid& node, int journal = 0)
    : x_journal(journal) {
    x_batch.node = node;
  }

  batch_builder& add(const click& x, const std::string& browser = "Firefox");

  batch_builder& add(const excluded_visit& x);

  batch_builder& add(const conversion_request& x);

  /// Returns the collected events and starts the next batch behind them.
  event_batch take();

  /// Goes back or forward to a position.
  void seek(int64_t position) {
    x_next = position;
  }

  int64_t position() const {
    return x_next;
  }

private:
  event_batch::place next_place() {
    return {x_journal, x_next++};
  }

  int x_journal;
  int64_t x_next = 1;
  event_batch x_batch;
};

/// An empty, migrated store.
class store_test : public testing::TestWithParam<std::string> {
protected:
  store_test();

  /// Opens another connection to the same store.
  backend_ptr open();

  /// Makes a link that is not stored yet, with the variants "A" and "B".
  link new_link(const std::string& slug, timestamp at = moment(0));

  /// Stores a new link.
  link store_link(const std::string& slug, timestamp at = moment(0));

  /// Stores a new link that asks for a winner.
  link store_asking_link(const std::string& slug, timestamp at = moment(0));

  /// Stores a change of the variants.
  link change_variants(const link& x, const std::vector<variant_spec>& specs);

  click new_click(const link& x, size_t variant, timestamp at,
                  int64_t visitor = 1);

  conversion_request new_conversion(const link& x, timestamp at);

  /// Stores a batch that must be stored.
  store_result store(batch_builder& events);

  /// Stores one click and returns it.
  click store_click(const link& x, size_t variant, timestamp at,
                    int64_t visitor = 1);

  /// Returns the report of the link's whole life.
  analytics_report report(const link& x);

  std::vector<click_row> all_clicks(const link& x, const click_range& range,
                                    int per_page = 7);

  link_summary summary(const link& x);

  /// Returns the clicks of each value of a breakdown.
  static std::map<std::string, int64_t>
  clicks_by_value(const analytics_report& x, dimension which);

  /// Whether the plugin keeps few clicks of a link in runs (click_runs of the
  /// SQLite plugin).
  static bool has_runs() {
    return GetParam() == "sqlite";
  }

  /// Checks that each way to ask for the numbers of a link gives the same.
  void expect_sums_agree(const link& x);

  /// Checks that the store is what its raw events say.
  void expect_verified();

  temporary_directory dir;
  backend_settings settings;
  std::unique_ptr<raw_store> raw;
  backend_factory factory;
  backend_ptr db;
  uuid owner = make_uuid(now());
  batch_builder events{make_uuid(now())};
};

} // namespace turnout::test

/// Runs the tests of a fixture over each plugin.
#define TURNOUT_CONTRACT_SUITE(fixture)                                        \
  INSTANTIATE_TEST_SUITE_P(                                                    \
    contract, fixture, testing::ValuesIn(turnout::test::plugins_under_test()), \
    [](const auto& info) { return info.param; })
