#pragma once

#include "actors/interfaces.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace turnout {

/// Returns whether the store answered, if only that something is not there.
template <class T>
bool has_answer(const caf::expected<T>& result) {
  return result || code_of(result.error()) != ec::unavailable;
}

/// Returns whether the store answered all of several questions.
template <class T>
bool has_answer(const caf::expected<std::vector<caf::expected<T>>>& results) {
  return results
         && std::all_of(results->begin(), results->end(),
                        [](const auto& x) { return has_answer(x); });
}

/// Takes the answer of one of several questions: the common error if none of
/// them was asked.
template <class T>
caf::expected<T>
take_answer(caf::expected<std::vector<caf::expected<T>>>& results, size_t i) {
  if (!results)
    return results.error();
  return std::move((*results)[i]);
}

/// Wraps `work`, a function from a backend to an `expected<T>`, as a job.
template <class T, class Work>
store_job make_store_job(const char* name, Work work) {
  return {name, [work = std::move(work)](storage::backend& db) mutable {
            auto result = std::make_shared<caf::expected<T>>(work(db));
            const auto answered = has_answer(*result);
            return store_outcome{std::move(result), answered};
          }};
}

/// Runs `work` on a STORE WORKER and passes its `expected<T>` to `then` in the
/// context of `self`, also when the job never ran.
template <class T, class Self, class Work, class Then>
void store_call(Self* self, const store_pool_actor& pool, const char* name,
                Work work, Then then) {
  auto done = std::make_shared<Then>(std::move(then));
  self->request(pool, caf::infinite, make_store_job<T>(name, std::move(work)))
    .then(
      [done](const store_outcome& outcome) {
        (*done)(*std::static_pointer_cast<caf::expected<T>>(outcome.value));
      },
      [done](const caf::error& err) {
        caf::expected<T> result{err};
        (*done)(result);
      });
}

/// Turns the outcome of a backend's function without result into an expected.
inline caf::expected<void> to_expected(caf::error err) {
  if (err)
    return err;
  return {};
}

} // namespace turnout
