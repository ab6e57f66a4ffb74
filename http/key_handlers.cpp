#include "http/codec/key.hpp"
#include "http/handlers.hpp"

namespace turnout {

void create_key(const api_call_ptr& call) {
  if (!call->who.api_access)
    return call->fail(ec::forbidden,
                      "API access is not enabled for this account.");
  auto x = read_key_request(query_params{call->in().query});
  if (!x)
    return call->fail(x.error());
  call->where().actors.create_key(
    {call->who, call->email, {}}, std::move(x->name), x->type,
    call->receive_value<created_key>(
      [](api_call& call, const created_key& made) {
        auto answer
          = json_response(201, created_key_body(made, call.who.rate_limit));
        answer.header("Cache-Control", "no-store");
        call.send(std::move(answer));
      }));
}

void list_keys(const api_call_ptr& call) {
  call->where().actors.list_keys(
    call->who.account_id,
    call->receive_value<std::vector<api_key>>(
      [](api_call& call, const std::vector<api_key>& keys) {
        call.send_json(keys_body(keys, call.who.rate_limit));
      }));
}

void revoke_key(const api_call_ptr& call) {
  auto id = call->path_id();
  if (!id)
    return call->fail(id.error());
  call->where().actors.revoke_key(
    call->who.account_id, *id,
    call->receive_value<uuid>(
      [](api_call& call, const uuid&) { call.send(response{204}); }));
}

void get_rate_limit(const api_call_ptr& call) {
  // The numbers are those of the headers.
  call->send_json(rate_limit_body(call->rate));
}

} // namespace turnout
