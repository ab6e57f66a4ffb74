#pragma once

#include "plugins/sql/connection.hpp"
#include "storage/backend.hpp"

#include <optional>
#include <vector>

namespace turnout::plugins {

/// Stores new links within a transaction of the caller. What is wrong with one
/// of them is that one's result and leaves the others alone.
///
/// Whoever stores several links takes what others may wait for in the same
/// order, idempotency keys before slugs, so that no two wait for each other.
class link_batch {
public:
  using result = caf::expected<storage::creation>;

  /// @param batch must outlive this object.
  link_batch(connection& db, const std::vector<storage::new_link>& batch);

  /// Stores the links.
  void store();

  /// Returns what became of each link, in the order of the batch; once.
  std::vector<result> take();

private:
  /// Makes the requests with a key repeatable, and sorts out those that are
  /// repeats.
  void take_keys();

  /// Returns false when a request with the same key was quicker.
  bool remember_answer(const storage::new_link& x);

  /// What a former request with the same key was answered, or that it had
  /// another body.
  result former_answer(const storage::new_link& x);

  void add_links();

  void add_parts();

  connection& x_db;
  const std::vector<storage::new_link>& x_batch;
  std::vector<std::optional<result>> x_results;
};

} // namespace turnout::plugins
