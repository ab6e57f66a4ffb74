#pragma once

#include <prometheus/histogram.h>

#include <vector>

namespace turnout {

/// Collects observations of one thread and hands them over in one go, because
/// `prometheus::Histogram` takes a lock that all reactors would share. Call
/// `flush` at the end of a turn of the event loop; the destructor does too.
class local_histogram {
public:
  /// @param target must outlive this object.
  /// @param bounds the boundaries that `target` was made with.
  local_histogram(prometheus::Histogram* target,
                  const prometheus::Histogram::BucketBoundaries& bounds);

  ~local_histogram();

  local_histogram(const local_histogram&) = delete;
  local_histogram& operator=(const local_histogram&) = delete;

  void observe(double value) noexcept;

  /// Adds to the target what was observed since the last call.
  void flush();

private:
  prometheus::Histogram* x_target;
  const prometheus::Histogram::BucketBoundaries& x_bounds;
  std::vector<double> x_counts;
  double x_sum = 0;
  bool x_dirty = false;
};

} // namespace turnout
