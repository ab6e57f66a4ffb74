#include "actors/conversion_recorder.hpp"

#include "actors/store_call.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <utility>

namespace turnout {

namespace {

using recorder_pointer = conversion_recorder_actor::pointer;
using result_type = caf::expected<storage::conversion_result>;

template <class Then>
void record(recorder_pointer self, const store_pool_actor& pool,
            const conversion_call_ptr& call, Then then) {
  store_call<storage::conversion_result>(
    self, pool, "add_conversion",
    [call](storage::backend& db) {
      return db.add_conversion(call->account_id, call->request);
    },
    std::move(then));
}

} // namespace

conversion_recorder_actor::behavior_type
conversion_recorder(recorder_pointer self, const store_pool_actor& pool,
                    std::function<drain_actor()> current_drain,
                    std::function<void(const storage::link_totals&)> touched) {
  const auto answer
    = [=](const conversion_call_ptr& call, result_type& result) {
        if (result && result->created && touched)
          touched(result->totals);
        call->reply->deliver(std::move(result));
      };
  const auto after_drain = [=](const conversion_call_ptr& call) {
    const auto finish = [=] {
      record(self, pool, call,
             [=](result_type& result) { answer(call, result); });
    };
    self->request(current_drain(), caf::infinite, flush_atom::value)
      .then([finish](bool) { finish(); },
            [finish](const caf::error&) { finish(); });
  };
  return {
    [=](const conversion_call_ptr& call) {
      // Without a click that must be there, the visitor's newest click decides,
      // which may be in a journal: it has to be stored first.
      if (!call->request.click_id || call->request.may_be_unattributed) {
        after_drain(call);
        return;
      }
      record(self, pool, call, [=](result_type& result) {
        if (!result && code_of(result.error()) == ec::not_found)
          after_drain(call); // The click may be in a journal still.
        else
          answer(call, result);
      });
    },
  };
}

} // namespace turnout
