#include "http/codec/conversion.hpp"
#include "http/conversion_source.hpp"
#include "http/handlers.hpp"

#include <boost/json/serialize.hpp>

namespace turnout {

void convert(const api_call_ptr& call) {
  auto body = read_json(call->in());
  if (!body)
    return call->fail(body.error());
  auto x = read_conversion(*body, now());
  if (!x)
    return call->fail(x.error());
  call->where().counters.conversions_by_call->Increment();
  // A named click or variant needs nobody's help.
  if (x->may_be_unattributed && !x->variant_id)
    add_visitor(call->where(), call->in(), *x);
  call->where().actors.convert(
    call->who.account_id, std::move(*x),
    call->receive_value<storage::conversion_result>(
      [](api_call& call, const storage::conversion_result& result) {
        call.send(json_response(result.created ? 201 : 200,
                                json::serialize(to_json(result.recorded))));
      }));
}

} // namespace turnout
