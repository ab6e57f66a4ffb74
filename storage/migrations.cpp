#include "storage/migrations.hpp"

#include <utility>

namespace turnout::storage {

namespace {

/// Applies a step within the transaction that was begun, unless somebody else
/// did so since.
caf::error apply_step(migration_target& target, const migration& step,
                      int newest) {
  auto stored = target.version();
  if (!stored)
    return std::move(stored.error());
  if (auto err = check_schema_version(*stored, newest))
    return err;
  if (*stored >= step.version)
    return target.commit();
  for (const auto& statement : step.statements)
    if (auto err = target.apply(statement))
      return err;
  if (auto err = target.record(step))
    return err;
  return target.commit();
}

} // namespace

caf::error check_schema_version(int stored, int newest) {
  if (stored <= newest)
    return caf::none;
  return make_error(ec::schema_too_new,
                    "The store has schema version " + std::to_string(stored)
                      + ", but this Turnout knows versions up to "
                      + std::to_string(newest)
                      + " only. Start the newer Turnout that made it, or go "
                        "back to a backup from before the upgrade.");
}

caf::error run_migrations(migration_target& target,
                          const std::vector<migration>& steps) {
  auto newest = steps.empty() ? 0 : steps.back().version;
  auto stored = target.version();
  if (!stored)
    return std::move(stored.error());
  if (auto err = check_schema_version(*stored, newest))
    return err;
  for (const auto& step : steps) {
    if (*stored >= step.version)
      continue;
    if (auto err = target.begin())
      return err;
    if (auto err = apply_step(target, step, newest)) {
      target.roll_back();
      return err;
    }
  }
  return caf::none;
}

} // namespace turnout::storage
