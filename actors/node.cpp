#include "actors/node.hpp"

#include "actors/conversion_recorder.hpp"
#include "actors/drain.hpp"
#include "actors/journal_report.hpp"
#include "actors/journal_syncer.hpp"
#include "actors/link_supervisor.hpp"
#include "actors/node_id.hpp"
#include "actors/rate_limiter.hpp"
#include "actors/root_supervisor.hpp"
#include "actors/store_pool.hpp"
#include "actors/winner_judge.hpp"
#include "monitoring/log.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace turnout {

// -- start and stop -----------------------------------------------------------

node::node(const settings& options, reactor_pool& reactors, metrics& counters)
  : x_options(options),
    x_reactors(reactors),
    x_counters(counters),
    x_journal_dir(options.data_dir / "journal"),
    x_keys(options.rate_limit.per_hour),
    x_links_per_account(options.links.per_account),
    x_sign_ins(max_sign_ins, counters.sign_in_queue),
    x_directory(reactors, static_cast<size_t>(options.links.unknown_slugs),
                std::chrono::seconds{options.links.unknown_seconds}, counters),
    x_system_config(reactors) {
  // nop
}

node::~node() = default;

caf::expected<std::unique_ptr<node>>
node::start(const settings& options, storage::backend_factory open,
            reactor_pool& reactors, metrics& counters,
            std::function<void(std::string)> give_up) {
  std::unique_ptr<node> result{new node{options, reactors, counters}};
  if (auto err = result->prepare(open))
    return err;
  result->spawn_actors(std::move(open), std::move(give_up));
  return result;
}

caf::error node::prepare(const storage::backend_factory& open) {
  auto id = load_node_id(x_options.data_dir);
  if (!id)
    return std::move(id.error());
  x_id = *id;
  auto db = open();
  if (!db)
    return std::move(db.error());
  // Read before the keys, so that no change falls between the two.
  auto first_change = (*db)->last_change();
  if (!first_change)
    return std::move(first_change.error());
  x_first_change = *first_change;
  auto keys = read_keys(**db);
  if (!keys)
    return std::move(keys.error());
  x_keys.replace(keys->keys, keys->accounts, keys->sessions);
  if (auto err = prepare_sessions())
    return err;
  auto secrets = (*db)->day_secrets(secret_days(now()));
  if (!secrets)
    return std::move(secrets.error());
  x_secrets.replace(*secrets);
  auto positions = (*db)->journal_positions(x_id);
  if (!positions)
    return std::move(positions.error());
  journal::limits bounds;
  bounds.max_bytes = x_options.journal.max_bytes;
  x_counters.journal_limit_bytes->Set(static_cast<double>(bounds.max_bytes)
                                      * static_cast<double>(x_reactors.size()));
  for (size_t i = 0; i < x_reactors.size(); ++i) {
    const auto number = static_cast<int>(i);
    const auto stored
      = std::find_if(positions->begin(), positions->end(),
                     [&](const auto& x) { return x.journal == number; });
    auto out = journal::writer::open(
      x_journal_dir, number, stored == positions->end() ? 0 : stored->last,
      bounds, report_journal);
    if (!out)
      return std::move(out.error());
    x_journals.push_back(std::make_unique<turn_journal>(
      x_reactors, i, std::move(*out), x_counters));
  }
  return caf::none;
}

void node::spawn_actors(storage::backend_factory open,
                        std::function<void(std::string)> give_up) {
  x_system = std::make_unique<caf::actor_system>(x_system_config);
  auto& system = *x_system;
  x_pool = system.spawn(
    store_pool,
    store_pool_settings{open, static_cast<size_t>(x_options.storage.workers),
                        static_cast<size_t>(x_options.storage.queue)},
    &x_counters);
  link_supervisor_tools for_supervisor{&x_options, &x_counters, &x_directory,
                                       x_pool};
  for_supervisor.link_saved = [this](const link& x) {
    if (x.auto_winner)
      caf::anon_send(x_judge.get(), reload_atom::value, x.id);
  };
  for_supervisor.links_per_account = &x_links_per_account;
  x_supervisor = system.spawn(link_supervisor, for_supervisor);
  drain_tools for_drain;
  for_drain.journal_dir = x_journal_dir;
  for_drain.node = x_id;
  for_drain.batch = static_cast<size_t>(x_options.journal.drain_batch);
  for_drain.interval
    = std::chrono::milliseconds{x_options.journal.drain_interval_ms};
  for_drain.open = open;
  for_drain.committed = [this](int journal) -> int64_t {
    const auto i = static_cast<size_t>(journal);
    return i < x_journals.size() ? x_journals[i]->out().last_position() : 0;
  };
  for_drain.counters = &x_counters;
  for_drain.touched
    = [this](const std::vector<storage::link_totals>& x) { tell_judge(x); };
  change_feed_tools for_feed;
  for_feed.open = std::move(open);
  for_feed.link_changed = [this](const uuid& id) {
    caf::anon_send(x_supervisor, reload_atom::value, id);
  };
  for_feed.keys_changed
    = [this] { caf::anon_send(x_key_manager.get(), reload_atom::value); };
  for_feed.health = &x_health;
  for_feed.counters = &x_counters;
  std::vector<child_spec> children;
  const auto add = [&](std::string name, std::function<caf::actor()> start,
                       bool restartable = true) {
    children.push_back({std::move(name), std::move(start), restartable});
  };
  add(
    "store_pool", [this] { return caf::actor_cast<caf::actor>(x_pool); },
    false);
  add(
    "link_supervisor",
    [this] { return caf::actor_cast<caf::actor>(x_supervisor); }, false);
  add("key_manager", [this] {
    return x_key_manager.set(
      x_system->spawn(key_manager, &x_keys, x_pool, &x_counters));
  });
  add("rate_limiter",
      [this] { return x_limiter.set(x_system->spawn(rate_limiter, x_pool)); });
  add("winner_judge", [this] {
    return x_judge.set(
      x_system->spawn(winner_judge, winner_judge_tools{x_pool, &x_counters}));
  });
  spawn_identity(add);
  add("drain", [this, for_drain] {
    return x_drain.set(x_system->spawn<caf::detached>(drain, for_drain));
  });
  add("conversion_recorder", [this] {
    return x_recorder.set(x_system->spawn(
      conversion_recorder, x_pool,
      std::function<drain_actor()>{[this] { return x_drain.get(); }},
      std::function<void(const storage::link_totals&)>{
        [this](const storage::link_totals& x) { tell_judge({x}); }}));
  });
  add("change_feed", [this, for_feed] {
    // After a restart the first changes are told twice, which is harmless.
    return caf::actor_cast<caf::actor>(
      x_system->spawn<caf::detached>(change_feed, x_first_change, for_feed));
  });
  add("secret_keeper", [this] {
    return caf::actor_cast<caf::actor>(
      x_system->spawn(secret_keeper, &x_secrets, x_pool));
  });
  add("journal_syncer", [this] {
    return caf::actor_cast<caf::actor>(x_system->spawn<caf::detached>(
      journal_syncer, x_journal_dir,
      std::chrono::milliseconds{x_options.journal.sync_interval_ms}));
  });
  x_root = system.spawn(
    root_supervisor, std::move(children),
    std::function<void()>{[this] { x_counters.actor_restarts->Increment(); }},
    std::move(give_up));
}

void node::apply(const settings& options) {
  x_links_per_account = options.links.per_account;
  if (x_keys.default_limit() == options.rate_limit.per_hour)
    return;
  // The snapshot of the keys has it for each of them, so it is made anew.
  x_keys.set_default_limit(options.rate_limit.per_hour);
  caf::anon_send(x_key_manager.get(), reload_atom::value);
}

void node::stop(std::chrono::milliseconds grace) {
  if (x_system == nullptr)
    return;
  {
    caf::scoped_actor self{*x_system};
    self->request(x_drain.get(), grace, flush_atom::value)
      .receive(
        [](bool complete) {
          if (!complete)
            log::warning("events stay in the journal until the next start");
        },
        [](const caf::error& err) {
          log::warning("events stay in the journal until the next start",
                       {{"error", detail(err)}});
        });
    // The KEY MANAGER would store these some seconds later.
    if (auto used = x_keys.take_used(); !used.empty())
      self
        ->request(x_pool, grace,
                  make_store_job<void>("touch_keys",
                                       [used](storage::backend& db) {
                                         return to_expected(
                                           db.touch_keys(used));
                                       }))
        .receive([](const store_outcome&) {},
                 [](const caf::error& err) {
                   log::warning("last use of keys not stored",
                                {{"error", detail(err)}});
                 });
    x_stopping = true;
    self->send_exit(x_root, caf::exit_reason::user_shutdown);
    self->wait_for(x_root);
  }
  // Whoever still has a handle keeps its actor alive.
  x_directory.clear();
  x_jwks_keeper.clear();
  x_sign_in_desk.clear();
  x_root = nullptr;
  x_pool = nullptr;
  x_supervisor = nullptr;
  x_key_manager.clear();
  x_limiter.clear();
  x_drain.clear();
  x_recorder.clear();
  x_judge.clear();
  x_system.reset();
}

// -- winner -------------------------------------------------------------------

void node::tell_judge(const std::vector<storage::link_totals>& x) {
  auto asking = std::make_shared<std::vector<storage::link_totals>>();
  std::copy_if(x.begin(), x.end(), std::back_inserter(*asking),
               [](const auto& y) { return y.auto_winner; });
  if (!asking->empty())
    caf::anon_send(x_judge.get(), touched_links_ptr{std::move(asking)});
}

// -- service ------------------------------------------------------------------

void node::expect_visit(std::string_view slug) {
  x_directory.prefetch(slug);
}

void node::resolve(visit_ptr x) {
  auto known = x_directory.find(x->request().slug);
  if (known.handle)
    caf::anon_send(known.handle, std::move(x));
  else if (known.is_unknown)
    x->not_found();
  else
    caf::anon_send(x_supervisor, std::move(x));
}

void node::create(creation_request x, reply_ptr<creation_answer> reply) {
  caf::anon_send(x_supervisor, std::make_shared<creation_call>(creation_call{
                                 std::move(x), std::move(reply)}));
}

void node::with_link(const uuid& account_id, const uuid& link_id,
                     link_change change, reply_ptr<link> reply) {
  caf::anon_send(x_supervisor,
                 std::make_shared<link_call>(link_call{
                   account_id, link_id, std::move(change), std::move(reply)}));
}

void node::find_link(const uuid& link_id, reply_ptr<link> reply) {
  auto call = std::make_shared<link_call>();
  call->link_id = link_id;
  call->reply = std::move(reply);
  call->any_owner = true;
  caf::anon_send(x_supervisor, std::move(call));
}

void node::list_links(const uuid& account_id, int page, int per_page,
                      link_selection which, reply_ptr<link_page> reply) {
  read<link_page>(
    "list_links",
    [=, which = std::move(which)](storage::backend& db) {
      return db.list_links(account_id, page, per_page, which);
    },
    std::move(reply));
}

void node::is_slug_free(std::string slug, reply_ptr<bool> reply) {
  read<bool>(
    "load_link",
    [slug = std::move(slug)](storage::backend& db) -> caf::expected<bool> {
      auto found = db.load_link(slug);
      if (!found)
        return std::move(found.error());
      return !found->has_value();
    },
    std::move(reply));
}

void node::analytics(const uuid& account_id, const uuid& link_id,
                     std::optional<day_number> from,
                     std::optional<day_number> to,
                     reply_ptr<analytics_report> reply) {
  read<analytics_report>(
    "analytics",
    [=](storage::backend& db) {
      return db.analytics(account_id, link_id, from, to, day_of(now()));
    },
    std::move(reply));
}

void node::clicks(const uuid& account_id, const uuid& link_id,
                  storage::click_range range, int page, int per_page,
                  reply_ptr<click_page> reply) {
  read<click_page>(
    "clicks",
    [=](storage::backend& db) {
      return db.clicks(account_id, link_id, range, page, per_page);
    },
    std::move(reply));
}

void node::winner(const uuid& account_id, const uuid& link_id,
                  reply_ptr<winner_report> reply) {
  read<winner_report>(
    "evidence",
    [=, this](storage::backend& db) -> caf::expected<winner_report> {
      auto found = db.evidence(link_id);
      if (!found)
        return std::move(found.error());
      if (!*found || (*found)->subject.user_id != account_id
          || (*found)->subject.is_deleted)
        return make_error(ec::not_found, "Link not found");
      auto result = report_winner(**found, now());
      // Its evaluation is on the way, or the process died before that.
      if (result.status == winner_status::recommended && result.auto_winner
          && !result.recommended)
        caf::anon_send(x_judge.get(), overdue_atom::value, link_id);
      return result;
    },
    std::move(reply));
}

void node::clicks_before(const uuid& account_id, const uuid& link_id,
                         storage::click_range range, const uuid& before,
                         int limit, reply_ptr<std::vector<click_row>> reply) {
  read<std::vector<click_row>>(
    "clicks_before",
    [=](storage::backend& db) {
      return db.clicks_before(account_id, link_id, range, before, limit);
    },
    std::move(reply));
}

void node::convert(const uuid& account_id, conversion_request x,
                   reply_ptr<storage::conversion_result> reply) {
  caf::anon_send(x_recorder.get(),
                 std::make_shared<conversion_call>(conversion_call{
                   account_id, std::move(x), std::move(reply)}));
}

void node::journal(size_t reactor, const journal::event& x,
                   std::function<void(bool committed)> then) {
  x_journals[reactor]->append(x, std::move(then));
}

std::optional<principal> node::authenticate(std::string_view key) {
  return x_keys.find(key);
}

void node::admit(const principal& who, reply_ptr<rate_status> reply) {
  caf::anon_send(x_limiter.get(),
                 std::make_shared<admission_call>(admission_call{
                   who.account_id, who.rate_limit, true, std::move(reply)}));
}

void node::rate(const uuid& account_id, int limit,
                reply_ptr<rate_status> reply) {
  caf::anon_send(x_limiter.get(),
                 std::make_shared<admission_call>(
                   admission_call{account_id, limit, false, std::move(reply)}));
}

std::array<std::array<uint8_t, 32>, 2> node::visitor_secrets(timestamp at) {
  const auto day = day_of(at);
  return {x_secrets.of(day), x_secrets.of(day - 1)};
}

std::string node::not_ready() {
  return x_health.reason();
}

} // namespace turnout
