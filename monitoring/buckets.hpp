#pragma once

#include <prometheus/histogram.h>

namespace turnout::buckets {

/// Durations in seconds of what a reactor answers by itself.
inline const prometheus::Histogram::BucketBoundaries redirect_seconds{
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
  0.01,    0.025,  0.05,    0.1,    0.25,  1,      2.5};

/// Durations in seconds of what waits for the store.
inline const prometheus::Histogram::BucketBoundaries store_seconds{
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
  0.1,    0.25,  0.5,    1,     2.5,  5,     10};

/// Sizes of drained batches.
inline const prometheus::Histogram::BucketBoundaries batch_events{
  1, 10, 50, 100, 250, 500, 1000, 2500, 5000, 10000};

} // namespace turnout::buckets
