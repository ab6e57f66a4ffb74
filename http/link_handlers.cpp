#include "core/changes.hpp"
#include "core/identifiers.hpp"
#include "http/codec/link.hpp"
#include "http/codec/query.hpp"
#include "http/handlers.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace turnout {

namespace {

/// Reads the Idempotency-Key.
caf::expected<std::optional<storage::idempotency>>
read_idempotency(const request& in, const json::value& body) {
  std::optional<storage::idempotency> result;
  if (in.idempotency_keys == 0)
    return result;
  const auto key = in.idempotency_key;
  const auto is_printable = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (in.idempotency_keys > 1 || key.empty() || key.size() > 255
      || !std::all_of(key.begin(), key.end(), is_printable))
    return make_error(ec::invalid, "Idempotency-Key must be 1 to 255 printable "
                                   "ASCII characters, given once");
  result.emplace();
  result->key = key;
  result->body_hash = sha256_hex(canonical_json(body));
  return result;
}

void send_link(api_call& call, const link& x) {
  call.send_json(link_body(x));
}

/// Has a link changed and answers with the link.
void change_link(const api_call_ptr& call, link_change change) {
  auto id = call->path_id();
  if (!id) {
    call->fail(id.error());
    return;
  }
  call->where().actors.with_link(call->who.account_id, *id, std::move(change),
                                 call->receive_value<link>(send_link));
}

} // namespace

void create_link(const api_call_ptr& call) {
  auto& where = call->where();
  auto body = read_json(call->in());
  if (!body)
    return call->fail(body.error());
  auto draft
    = read_new_link(*body, where.forbidden, call->who.account_id, now());
  if (!draft)
    return call->fail(draft.error());
  auto once = read_idempotency(call->in(), *body);
  if (!once)
    return call->fail(once.error());
  creation_request x;
  x.draft = std::move(*draft);
  x.once = std::move(*once);
  x.render = [base = where.short_base](const link& y) {
    return created_body(y, base);
  };
  where.actors.create(std::move(x),
                      call->receive_value<creation_answer>(
                        [](api_call& call, creation_answer answer) {
                          call.send(json_response(201, std::move(answer.body)));
                        }));
}

void list_links(const api_call_ptr& call) {
  const query_params query{call->in().query};
  auto where = read_paging(query, 20);
  if (!where)
    return call->fail(where.error());
  auto which = read_link_selection(query);
  if (!which)
    return call->fail(which.error());
  call->where().actors.list_links(
    call->who.account_id, where->page, where->per_page, std::move(*which),
    call->receive_value<link_page>([](api_call& call, const link_page& x) {
      call.send_json(list_body(x));
    }));
}

void get_link(const api_call_ptr& call) {
  change_link(call, {});
}

void update_link(const api_call_ptr& call) {
  // A malformed id is told before the body is looked at: it is in the path.
  if (auto id = call->path_id(); !id)
    return call->fail(id.error());
  auto body = read_json(call->in());
  if (!body)
    return call->fail(body.error());
  auto patch = read_link_patch(*body, call->where().forbidden);
  if (!patch)
    return call->fail(patch.error());
  auto fields
    = std::make_shared<const json::object>(std::move(body->get_object()));
  change_link(call,
              [patch = std::move(*patch), fields](
                const link& current, timestamp now) -> caf::expected<link> {
                if (auto err = check_read_only(*fields, current))
                  return err;
                return apply_patch(current, patch, now);
              });
}

void delete_link(const api_call_ptr& call) {
  auto id = call->path_id();
  if (!id)
    return call->fail(id.error());
  call->where().actors.with_link(
    call->who.account_id, *id, mark_deleted,
    call->receive_value<link>(
      [](api_call& call, const link&) { call.send(response{204}); }));
}

void put_variants(const api_call_ptr& call) {
  if (auto id = call->path_id(); !id)
    return call->fail(id.error());
  auto body = read_json(call->in());
  if (!body)
    return call->fail(body.error());
  auto specs = read_variant_array(*body, call->where().forbidden);
  if (!specs)
    return call->fail(specs.error());
  change_link(call,
              [specs = std::move(*specs)](const link& current, timestamp now) {
                return replace_variants(current, specs, now);
              });
}

void promote_winner(const api_call_ptr& call) {
  if (auto id = call->path_id(); !id)
    return call->fail(id.error());
  auto body = read_json(call->in());
  if (!body)
    return call->fail(body.error());
  auto variant_id = read_promotion(*body);
  if (!variant_id)
    return call->fail(variant_id.error());
  change_link(call, [id = *variant_id](const link& current, timestamp now) {
    return promote(current, id, now);
  });
}

} // namespace turnout
