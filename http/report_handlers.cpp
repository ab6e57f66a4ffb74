#include "http/codec/report.hpp"
#include "http/codec/winner.hpp"
#include "http/handlers.hpp"

namespace turnout {

void list_clicks(const api_call_ptr& call) {
  auto id = call->path_id();
  if (!id)
    return call->fail(id.error());
  query_params query{call->in().query};
  auto where = read_paging(query, 50);
  if (!where)
    return call->fail(where.error());
  auto range = read_click_range(query, now());
  if (!range)
    return call->fail(range.error());
  call->where().actors.clicks(
    call->who.account_id, *id, *range, where->page, where->per_page,
    call->receive_value<click_page>(
      [id = *id, where = *where](api_call& call, const click_page& x) {
        call.send_json(clicks_body(id, x, where));
      }));
}

void get_analytics(const api_call_ptr& call) {
  auto id = call->path_id();
  if (!id)
    return call->fail(id.error());
  auto range = read_day_range(query_params{call->in().query}, now());
  if (!range)
    return call->fail(range.error());
  call->where().actors.analytics(
    call->who.account_id, *id, range->from, range->to,
    call->receive_value<analytics_report>(
      [](api_call& call, const analytics_report& x) {
        call.send_json(analytics_body(x));
      }));
}

void get_winner(const api_call_ptr& call) {
  auto id = call->path_id();
  if (!id)
    return call->fail(id.error());
  call->where().actors.winner(call->who.account_id, *id,
                              call->receive_value<winner_report>(
                                [](api_call& call, const winner_report& x) {
                                  call.send_json(winner_body(x));
                                }));
}

} // namespace turnout
