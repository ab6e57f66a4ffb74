#pragma once

#include <prometheus/metric_family.h>

#include <vector>

namespace turnout {

/// Reads the usual process_* metrics (CPU, memory, open files, start) from
/// /proc. Leaves out what cannot be read.
std::vector<prometheus::MetricFamily> collect_process();

} // namespace turnout
