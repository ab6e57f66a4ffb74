#include "actors/link_supervisor.hpp"

#include "actors/link.hpp"
#include "actors/store_call.hpp"
#include "core/identifiers.hpp"
#include "core/rules.hpp"
#include "monitoring/log.hpp"

#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <chrono>
#include <optional>

namespace turnout {

namespace {

/// Tries with a generated slug before giving up; the second half of them with
/// longer and longer slugs.
constexpr size_t max_slug_tries = 8;

/// Links in one transaction: enough to share its costs, few enough not to keep
/// others from writing for long.
constexpr size_t max_links_stored_at_once = 128;

/// After this time a job loads no further link, so that those that are there
/// are not kept by a slow store.
constexpr auto max_load_time = std::chrono::milliseconds{50};

using supervisor_pointer
  = link_supervisor_actor::stateful_pointer<link_supervisor_state>;

using maybe_link = std::optional<link>;

// -- LINKs --------------------------------------------------------------------

/// Returns the LINK of a stored link, spawning it if there is none.
link_supervisor_state::loaded& adopt(supervisor_pointer self, const link& x) {
  auto& st = self->state;
  if (auto i = st.links.find(x.id); i != st.links.end())
    return i->second;
  auto usage = std::make_shared<link_usage>();
  auto handle = self->spawn(link_behavior, x, st.tools.options, st.tools.pool,
                            usage, st.tools.link_saved);
  self->monitor(handle);
  auto& entry
    = st.links
        .emplace(
          x.id, link_supervisor_state::loaded{handle, x.slug, std::move(usage)})
        .first->second;
  st.by_slug.emplace(entry.slug, &entry);
  st.tools.counters->links_loaded->Set(static_cast<double>(st.links.size()));
  return entry;
}

/// Drops what is known of a LINK that ended.
void forget(supervisor_pointer self, const caf::actor_addr& source,
            const caf::error& reason) {
  auto& st = self->state;
  const auto i
    = std::find_if(st.links.begin(), st.links.end(), [&](const auto& entry) {
        return entry.second.handle == source;
      });
  if (i == st.links.end())
    return;
  log::error("link actor died, the next visit loads it again",
             {{"slug", i->second.slug}, {"error", detail(reason)}});
  st.tools.counters->actor_restarts->Increment();
  st.tools.directory->forget(i->second.slug);
  st.by_slug.erase(i->second.slug);
  st.links.erase(i);
  st.tools.counters->links_loaded->Set(static_cast<double>(st.links.size()));
}

// -- visits -------------------------------------------------------------------

void load(supervisor_pointer self, const std::string& slug);

void slug_loaded(supervisor_pointer self, const std::string& slug,
                 caf::expected<maybe_link>& result) {
  auto& st = self->state;
  if (st.stale.erase(slug) > 0 && result) {
    load(self, slug);
    return;
  }
  const auto waiting = std::move(st.visits.extract(slug).mapped());
  if (!result) {
    for (const auto& x : waiting)
      x->unavailable();
    return;
  }
  if (!*result) {
    // The link may have been created while the store was being asked.
    if (auto i = st.by_slug.find(slug); i != st.by_slug.end()) {
      for (const auto& x : waiting)
        self->send(i->second->handle, x);
      return;
    }
    st.tools.directory->publish_unknown(slug);
    for (const auto& x : waiting)
      x->not_found();
    return;
  }
  const auto& entry = adopt(self, **result);
  if (!entry.leaving)
    st.tools.directory->publish(slug, entry.handle);
  for (const auto& x : waiting)
    self->send(entry.handle, x);
}

using loads = std::vector<caf::expected<maybe_link>>;

/// Loads the links of as many slugs as there is time for, in their order; of
/// one at least. If the store is not there when the time is over, the others
/// count as asked for in vain, too.
loads load_links(storage::backend& db, const std::vector<std::string>& slugs) {
  loads result;
  result.reserve(slugs.size());
  const auto end = slug_batch::clock::now() + max_load_time;
  for (const auto& slug : slugs) {
    result.emplace_back(db.load_link(slug));
    if (slug_batch::clock::now() >= end)
      break;
  }
  if (!has_answer(result.back()))
    while (result.size() < slugs.size())
      result.emplace_back(result.back().error());
  return result;
}

/// Has a link loaded: by a job of its own while there are fewer than workers,
/// else together with others that wait for one.
void load(supervisor_pointer self, const std::string& slug) {
  auto& st = self->state;
  if (st.load_jobs >= static_cast<size_t>(st.tools.options->storage.workers)
      && st.next_load->add(slug))
    return;
  auto batch = std::make_shared<slug_batch>();
  batch->add(slug);
  st.next_load = batch;
  ++st.load_jobs;
  store_call<loads>(
    self, st.tools.pool, "load_link",
    [batch](storage::backend& db) -> caf::expected<loads> {
      return load_links(db, batch->take());
    },
    [self, batch](caf::expected<loads>& result) {
      --self->state.load_jobs;
      // It was taken already, unless the job never ran.
      const auto& slugs = batch->take();
      for (size_t i = 0; i < slugs.size(); ++i) {
        if (result && i >= result->size()) {
          load(self, slugs[i]);
          continue;
        }
        auto one = take_answer(result, i);
        slug_loaded(self, slugs[i], one);
      }
    });
}

void handle_visit(supervisor_pointer self, const visit_ptr& x) {
  auto& st = self->state;
  const auto& slug = x->request().slug;
  if (auto i = st.by_slug.find(slug); i != st.by_slug.end()) {
    const auto& entry = *i->second;
    self->send(entry.handle, x);
    if (!entry.leaving)
      st.tools.directory->publish(slug, entry.handle);
    return;
  }
  auto& waiting = st.visits[slug];
  waiting.push_back(x);
  if (waiting.size() == 1)
    load(self, slug);
}

// -- calls --------------------------------------------------------------------

void handle_call(supervisor_pointer self, const link_call_ptr& call) {
  auto& st = self->state;
  if (auto i = st.links.find(call->link_id); i != st.links.end()) {
    self->send(i->second.handle, call);
    return;
  }
  auto& waiting = st.calls[call->link_id];
  waiting.push_back(call);
  if (waiting.size() > 1)
    return;
  store_call<maybe_link>(
    self, st.tools.pool, "load_link",
    [id = call->link_id](storage::backend& db) { return db.load_link(id); },
    [=, id = call->link_id](caf::expected<maybe_link>& result) {
      auto& st = self->state;
      const auto waiting = std::move(st.calls.extract(id).mapped());
      if (result && *result) {
        const auto& entry = adopt(self, **result);
        for (const auto& x : waiting)
          self->send(entry.handle, x);
        return;
      }
      for (const auto& x : waiting)
        x->reply->deliver(result ? make_error(ec::not_found, "Link not found")
                                 : result.error());
    });
}

// -- creation -----------------------------------------------------------------

using creations = std::vector<caf::expected<storage::creation>>;

/// Stores new links; none is lost when only some are stored.
creations store_links(storage::backend& db,
                      const std::vector<storage::new_link>& batch,
                      int per_account) {
  if (per_account == 0)
    return db.create_links(batch);
  // Each counts for the next one.
  creations result;
  for (const auto& x : batch) {
    auto owned = db.list_links(x.draft.user_id, 1, 1);
    if (!owned)
      result.emplace_back(owned.error());
    else if (auto err = check_link_count(owned->total, per_account))
      result.emplace_back(std::move(err));
    else
      result.emplace_back(db.create_link(x.draft, x.once));
  }
  return result;
}

void forget_creation(supervisor_pointer self, const creation_call& call) {
  const auto& request = call.request;
  self->state.made.erase(request.draft.id);
  if (request.once)
    self->state.running.erase({request.draft.user_id, request.once->key});
}

/// Has a link stored with the next batch.
void try_create(supervisor_pointer self, link_supervisor_state::new_link x) {
  auto& st = self->state;
  auto& request = x.call->request;
  if (x.is_slug_made) {
    const auto extra
      = x.attempt > max_slug_tries / 2 ? x.attempt - max_slug_tries / 2 : 0;
    request.draft.slug
      = make_slug(static_cast<size_t>(st.tools.options->slug.length) + extra);
  }
  x.body = request.render(request.draft);
  if (request.once)
    request.once->response = x.body;
  st.unstored.push_back(std::move(x));
}

void finish_creation(supervisor_pointer self, link_supervisor_state::new_link x,
                     caf::expected<storage::creation>& result) {
  auto& st = self->state;
  const auto& call = x.call;
  const auto& slug = call->request.draft.slug;
  if (!result) {
    auto& err = result.error();
    const auto slug_taken
      = code_of(err) == ec::conflict && detail(err) == "slug";
    if (slug_taken && x.is_slug_made && x.attempt < max_slug_tries) {
      ++x.attempt;
      try_create(self, std::move(x));
      return;
    }
    forget_creation(self, *call);
    if (slug_taken)
      err = make_error(ec::conflict, "Slug '" + slug + "' is already taken");
    else if (code_of(err) == ec::conflict)
      err = make_error(ec::conflict, "Idempotency-Key was used before with "
                                     "another request body");
    call->reply->deliver(std::move(err));
    return;
  }
  if (result->replayed) {
    forget_creation(self, *call);
    call->reply->deliver(creation_answer{std::move(result->response)});
    return;
  }
  if (call->request.once)
    st.running.erase({call->request.draft.user_id, call->request.once->key});
  const auto& entry = adopt(self, result->created);
  st.tools.directory->publish(
    slug, entry.handle, [call, body = std::move(x.body)]() mutable {
      call->reply->deliver(creation_answer{std::move(body)});
    });
}

/// Has the links stored that wait for it, unless others are being stored.
void store_next(supervisor_pointer self) {
  auto& st = self->state;
  if (st.storing || st.unstored.empty())
    return;
  st.storing = true;
  const auto n = std::min(st.unstored.size(), max_links_stored_at_once);
  std::vector<link_supervisor_state::new_link> asking;
  std::vector<storage::new_link> batch;
  asking.reserve(n);
  batch.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    auto& x = asking.emplace_back(std::move(st.unstored.front()));
    st.unstored.pop_front();
    const auto& request = x.call->request;
    batch.push_back({request.draft, request.once});
    st.made.insert(request.draft.id);
  }
  store_call<creations>(
    self, st.tools.pool, "create_links",
    [batch = std::move(batch), per_account = st.tools.per_account()](
      storage::backend& db) -> caf::expected<creations> {
      return store_links(db, batch, per_account);
    },
    [self,
     asking = std::move(asking)](caf::expected<creations>& stored) mutable {
      self->state.storing = false;
      for (size_t i = 0; i < asking.size(); ++i) {
        auto result = take_answer(stored, i);
        finish_creation(self, std::move(asking[i]), result);
      }
      store_next(self);
    });
}

void handle_creation(supervisor_pointer self, const creation_call_ptr& call) {
  const auto& request = call->request;
  if (request.once
      && !self->state.running.emplace(request.draft.user_id, request.once->key)
            .second) {
    call->reply->deliver(make_error(
      ec::in_progress, "A request with this Idempotency-Key is still running"));
    return;
  }
  try_create(self, {call, request.draft.slug.empty(), 1, {}});
  store_next(self);
}

// -- changes by others --------------------------------------------------------

void changed_elsewhere(supervisor_pointer self, const uuid& id) {
  auto& st = self->state;
  // The first change of a link is that it was made.
  if (st.made.erase(id) > 0)
    return;
  if (auto i = st.links.find(id); i != st.links.end()) {
    self->send(i->second.handle, reload_atom::value);
    return;
  }
  // Perhaps a new link, whose slug a reactor remembers as unknown.
  store_call<maybe_link>(
    self, st.tools.pool, "load_link",
    [id](storage::backend& db) { return db.load_link(id); },
    [=](caf::expected<maybe_link>& result) {
      auto& st = self->state;
      // It may have been loaded meanwhile, as it was or as it is.
      if (auto i = st.links.find(id); i != st.links.end()) {
        self->send(i->second.handle, reload_atom::value);
        return;
      }
      if (!result || !*result)
        return;
      const auto& slug = (*result)->slug;
      if (st.visits.contains(slug))
        st.stale.insert(slug);
      st.tools.directory->forget(slug);
    });
}

// -- passivation --------------------------------------------------------------

/// How many LINKs are looked at in one go, and the pause after that, so that no
/// visit waits for it; one that leaves takes as long as many that stay.
constexpr size_t idle_slice = 1000;

constexpr auto idle_pause = std::chrono::milliseconds{10};

constexpr size_t leaving_weight = 20;

/// Finds idle LINKs among the next ones; they leave in three steps: no reactor
/// sends visits to them any more, what was sent is answered, they end.
/// @returns whether all have been looked at.
bool look_for_idle(supervisor_pointer self) {
  auto& st = self->state;
  const auto limit
    = link_usage::clock::now()
      - std::chrono::seconds{st.tools.options->links.idle_seconds};
  size_t seen = 0;
  for (; st.next_bucket < st.links.bucket_count(); ++st.next_bucket) {
    if (seen >= idle_slice)
      return false;
    for (auto i = st.links.begin(st.next_bucket);
         i != st.links.end(st.next_bucket); ++i, ++seen) {
      auto& [id, entry] = *i;
      if (entry.leaving || entry.usage->last() > limit)
        continue;
      entry.leaving = true;
      seen += leaving_weight;
      st.tools.directory->forget(
        entry.slug,
        [id = id, me = caf::actor_cast<link_supervisor_actor>(self)] {
          caf::anon_send(me, left_atom::value, id);
        });
    }
  }
  st.next_bucket = 0;
  return true;
}

void let_go(supervisor_pointer self, const uuid& id) {
  auto& st = self->state;
  auto i = st.links.find(id);
  if (i == st.links.end())
    return;
  self->demonitor(caf::actor_cast<caf::actor_addr>(i->second.handle));
  self->send(i->second.handle, leave_atom::value);
  st.by_slug.erase(i->second.slug);
  st.links.erase(i);
  st.tools.counters->links_passivated->Increment();
  st.tools.counters->links_loaded->Set(static_cast<double>(st.links.size()));
}

} // namespace

// -- behavior -----------------------------------------------------------------

link_supervisor_actor::behavior_type
link_supervisor(supervisor_pointer self, const link_supervisor_tools& tools) {
  self->state.tools = tools;
  const auto sweep = std::chrono::milliseconds{
    std::clamp(tools.options->links.idle_seconds * 100, 100, 60'000)};
  self->set_down_handler(
    [=](const caf::down_msg& msg) { forget(self, msg.source, msg.reason); });
  self->delayed_send(self, sweep, tick_atom::value);
  return {
    [=](const visit_ptr& x) { handle_visit(self, x); },
    [=](const link_call_ptr& call) { handle_call(self, call); },
    [=](const creation_call_ptr& call) { handle_creation(self, call); },
    [=](reload_atom, const uuid& id) { changed_elsewhere(self, id); },
    [=](tick_atom) {
      const auto complete = look_for_idle(self);
      self->delayed_send(self, complete ? sweep : idle_pause, tick_atom::value);
    },
    [=](left_atom, const uuid& id) { let_go(self, id); },
  };
}

} // namespace turnout
