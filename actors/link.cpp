#include "actors/link.hpp"

#include "actors/store_call.hpp"
#include "core/cookie.hpp"
#include "core/identifiers.hpp"
#include "core/query.hpp"

#include <caf/stateful_actor.hpp>

#include <utility>

namespace turnout {

namespace {

/// How often a change is computed again because another node was faster.
constexpr int max_attempts = 5;

using link_pointer = link_actor::stateful_pointer<link_state>;

caf::error not_found() {
  return make_error(ec::not_found, "Link not found");
}

} // namespace

// -- state --------------------------------------------------------------------

void link_state::assign(link x) {
  current = std::move(x);
  x_routes = routing_table{current};
  x_cookie_name = sticky_cookie_name(current.id);
}

void link_state::answer(visit& x) {
  if (current.is_deleted || !current.is_active) {
    x.not_found();
    return;
  }
  auto& request = x.request();
  std::optional<sticky_cookie> cookie;
  if (options->redirect.sticky && !request.cookies.empty())
    cookie = find_sticky_cookie(request.cookies, current.id);
  const auto index = x_routes.choose(
    request.country, cookie ? cookie->variant_id : uuid{}, fast_random());
  if (index < 0) {
    x.not_found();
    return;
  }
  const auto& chosen = current.variants[static_cast<size_t>(index)];
  const auto located = [&](const std::string& destination) {
    return options->redirect.query_passthrough
             ? merge_query(destination, request.query)
             : destination;
  };
  redirect_answer answer;
  if (request.excluded) {
    answer.location = located(chosen.destination_url);
    answer.record = excluded_visit{current.key, *request.excluded, request.at};
    x.redirect(std::move(answer));
    return;
  }
  auto& event = answer.record.emplace<click>();
  event.id = make_uuid(request.at);
  event.link_key = current.key;
  event.variant_key = chosen.key;
  event.stratum = current.stratum;
  event.is_repeat = cookie.has_value();
  event.created_at = request.at;
  event.visitor = request.visitor;
  event.ip_address = std::move(request.ip_address);
  event.user_agent = std::move(request.user_agent);
  event.referrer = std::move(request.referrer);
  event.country = std::move(request.country);
  // Ours comes before the visit's parameters, which do not overwrite it: the
  // query may be that of an earlier click.
  const auto& name = options->redirect.click_id_parameter;
  answer.location = located(
    name.empty() ? chosen.destination_url
                 : add_parameter(chosen.destination_url, name, event.id.str()));
  // Room for the attributes, which the visit's port appends.
  answer.cookie.reserve(x_cookie_name.size() + 160);
  append_cookie_value(answer.cookie.append(x_cookie_name).append("="),
                      {chosen.id, event.id});
  x.redirect(std::move(answer));
}

// -- changes ------------------------------------------------------------------

namespace {

void next_call(link_pointer self);

void store_change(link_pointer self, const link_call_ptr& call, int attempt) {
  auto& st = self->state;
  if (st.current.is_deleted) {
    call->reply->deliver(not_found());
    next_call(self);
    return;
  }
  auto changed = call->change(st.current, now());
  if (!changed) {
    call->reply->deliver(std::move(changed.error()));
    next_call(self);
    return;
  }
  if (*changed == st.current) {
    call->reply->deliver(st.current);
    next_call(self);
    return;
  }
  store_call<link>(
    self, st.pool, "save_link",
    [x = std::move(*changed)](storage::backend& db) { return db.save_link(x); },
    [=](caf::expected<link>& saved) {
      auto& st = self->state;
      if (saved) {
        st.assign(std::move(*saved));
        if (st.saved)
          st.saved(st.current);
        call->reply->deliver(st.current);
        next_call(self);
        return;
      }
      if (code_of(saved.error()) != ec::stale || attempt >= max_attempts) {
        call->reply->deliver(std::move(saved.error()));
        next_call(self);
        return;
      }
      store_call<std::optional<link>>(
        self, st.pool, "load_link",
        [id = st.current.id](storage::backend& db) { return db.load_link(id); },
        [=](caf::expected<std::optional<link>>& loaded) {
          if (loaded && *loaded) {
            self->state.assign(std::move(**loaded));
            store_change(self, call, attempt + 1);
            return;
          }
          call->reply->deliver(loaded ? not_found() : loaded.error());
          next_call(self);
        });
    });
}

void read_again(link_pointer self) {
  auto& st = self->state;
  st.busy = true;
  st.reload = false;
  store_call<std::optional<link>>(
    self, st.pool, "load_link",
    [id = st.current.id](storage::backend& db) { return db.load_link(id); },
    [=](caf::expected<std::optional<link>>& loaded) {
      if (loaded && *loaded)
        self->state.assign(std::move(**loaded));
      next_call(self);
    });
}

/// Goes on with what waited for the change that just ended.
void next_call(link_pointer self) {
  auto& st = self->state;
  st.busy = false;
  if (st.reload) {
    read_again(self);
  } else if (!st.waiting.empty()) {
    st.busy = true;
    auto call = std::move(st.waiting.front());
    st.waiting.pop_front();
    store_change(self, call, 1);
  } else if (st.leaving) {
    self->quit();
  }
}

} // namespace

// -- behavior -----------------------------------------------------------------

link_actor::behavior_type
link_behavior(link_pointer self, const link& x, const settings* options,
              const store_pool_actor& pool, std::shared_ptr<link_usage> usage,
              std::function<void(const link&)> saved) {
  auto& st = self->state;
  st.options = options;
  st.pool = pool;
  st.saved = std::move(saved);
  st.usage = std::move(usage);
  st.assign(x);
  return {
    [=](const visit_ptr& x) {
      self->state.usage->touch();
      self->state.answer(*x);
    },
    [=](const link_call_ptr& call) {
      auto& st = self->state;
      st.usage->touch();
      if (st.current.is_deleted
          || (!call->any_owner && st.current.user_id != call->account_id)) {
        call->reply->deliver(not_found());
        return;
      }
      if (!call->change) {
        call->reply->deliver(st.current);
        return;
      }
      st.waiting.push_back(call);
      if (!st.busy)
        next_call(self);
    },
    [=](reload_atom) {
      auto& st = self->state;
      st.reload = true;
      if (!st.busy)
        next_call(self);
    },
    [=](leave_atom) {
      self->state.leaving = true;
      if (!self->state.busy)
        self->quit();
    },
  };
}

} // namespace turnout
