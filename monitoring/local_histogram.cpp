#include "monitoring/local_histogram.hpp"

#include <algorithm>

namespace turnout {

local_histogram::local_histogram(
  prometheus::Histogram* target,
  const prometheus::Histogram::BucketBoundaries& bounds)
  : x_target(target), x_bounds(bounds), x_counts(bounds.size() + 1) {
  // nop
}

local_histogram::~local_histogram() {
  flush();
}

void local_histogram::observe(double value) noexcept {
  // The same bucket that prometheus::Histogram::Observe chooses.
  auto i = std::lower_bound(x_bounds.begin(), x_bounds.end(), value);
  x_counts[static_cast<size_t>(i - x_bounds.begin())] += 1;
  x_sum += value;
  x_dirty = true;
}

void local_histogram::flush() {
  if (!x_dirty)
    return;
  x_target->ObserveMultiple(x_counts, x_sum);
  std::fill(x_counts.begin(), x_counts.end(), 0.0);
  x_sum = 0;
  x_dirty = false;
}

} // namespace turnout
