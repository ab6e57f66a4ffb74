#pragma once

#include "core/error.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace turnout::storage {

/// One step of a schema, applied in one transaction, or bit by bit if it is for
/// tables that may be large.
struct migration {
  /// Version of the schema after this step; steps count up from 1.
  int version = 0;
  /// What the step does, for the record in the store.
  std::string title;
  std::vector<std::string> statements;
  /// Instead of `statements`: one that does a part of the work, such as filling
  /// a new column of some thousand rows. It is executed again, each time in a
  /// transaction of its own, with a pause as long as that took, so that nobody
  /// has to wait for long, until it changes no row.
  std::string part = {};
};

/// What the runner needs of a store.
class migration_target {
public:
  virtual ~migration_target() = default;

  /// Returns the version of the stored schema, 0 for an empty store.
  virtual caf::expected<int> version() = 0;

  /// Starts a transaction that keeps every other process from migrating; waits
  /// until no other process does.
  virtual caf::error begin() = 0;

  /// Executes one statement of a step and returns how many rows it changed.
  virtual caf::expected<int64_t> apply(const std::string& statement) = 0;

  /// Notes within the transaction that the step was applied.
  virtual caf::error record(const migration& step) = 0;

  /// Ends the transaction.
  virtual caf::error commit() = 0;

  /// Undoes the transaction.
  virtual void roll_back() noexcept = 0;
};

/// Returns the error to refuse a store with when it was made by a newer
/// Turnout; no error for older stores.
caf::error check_schema_version(int stored, int newest);

/// Applies the steps that a store does not have. Several processes may call it
/// at once: each step is applied by one of them, or in parts by several. Fails
/// with `ec::schema_too_new` when the store has steps that are not in `steps`.
caf::error run_migrations(migration_target& target,
                          const std::vector<migration>& steps);

} // namespace turnout::storage
