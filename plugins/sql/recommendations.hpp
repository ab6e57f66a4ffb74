#pragma once

#include "core/winner_report.hpp"

#include <cstdint>
#include <string>
#include <tuple>

namespace turnout::plugins {

/// The columns of the table of recommendations.
struct recommendation_row {
  int64_t link_key = 0;
  int generation = 0;
  uuid variant_id;
  std::string label;
  int64_t decided_at = 0;
  int cause = 0;
  uuid conversion_id;
  std::string method;
  int threshold = 0;
  /// Everything else: nobody searches in it, and text keeps doubles exactly.
  std::string snapshot;

  recommendation_row() = default;
  explicit recommendation_row(const recommendation& x);
  recommendation get() const;
  auto columns() {
    return std::tie(link_key, generation, variant_id, label, decided_at, cause,
                    conversion_id, method, threshold, snapshot);
  }
};

} // namespace turnout::plugins
