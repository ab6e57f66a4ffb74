#include "storage/migrations.hpp"

#include <chrono>
#include <thread>
#include <utility>

namespace turnout::storage {

namespace {

/// Applies a step, or the next part of it, within the transaction that was
/// begun, unless somebody else did so since. Returns whether the step is done.
caf::expected<bool> apply_step(migration_target& target, const migration& step,
                               int newest) {
  auto stored = target.version();
  if (!stored)
    return std::move(stored.error());
  if (auto err = check_schema_version(*stored, newest))
    return err;
  auto is_done = true;
  if (*stored < step.version) {
    for (const auto& statement : step.statements)
      if (auto changed = target.apply(statement); !changed)
        return std::move(changed.error());
    if (!step.part.empty()) {
      auto changed = target.apply(step.part);
      if (!changed)
        return std::move(changed.error());
      is_done = *changed == 0;
    }
    if (is_done)
      if (auto err = target.record(step))
        return err;
  }
  if (auto err = target.commit())
    return err;
  return is_done;
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
    for (auto is_done = false; !is_done;) {
      const auto start = std::chrono::steady_clock::now();
      if (auto err = target.begin())
        return err;
      auto applied = apply_step(target, step, newest);
      if (!applied) {
        target.roll_back();
        return std::move(applied.error());
      }
      is_done = *applied;
      // Who waited for the transaction has its turn now.
      if (!is_done)
        std::this_thread::sleep_for(std::chrono::steady_clock::now() - start);
    }
  }
  return caf::none;
}

} // namespace turnout::storage
