#include "actors/link_supervisor.hpp"

#include "core/changes.hpp"
#include "tests/actors/actors_fixture.hpp"

#include <map>

namespace turnout {

namespace {

using test::make_link;

struct link_supervisor_test : test::actors_fixture {
  link_supervisor_actor supervisor;

  ~link_supervisor_test() override {
    if (supervisor)
      caf::anon_send_exit(supervisor, caf::exit_reason::user_shutdown);
    supervisor = nullptr;
  }

  void start() {
    start_pool(4);
    spawn();
  }

  void spawn() {
    supervisor = system->spawn(
      link_supervisor,
      link_supervisor_tools{&options, &counters, directory.get(), pool});
  }

  std::future<test::outcome> visit_later(const std::string& slug) {
    visit_request request;
    request.slug = slug;
    request.at = now();
    auto x = std::make_shared<test::probe_visit>(request);
    auto result = x->result();
    // As node::resolve does, on a reactor.
    reactors.post(0, [this, x = visit_ptr{std::move(x)}]() mutable {
      auto known = directory->find(x->request().slug);
      if (known.handle)
        caf::anon_send(known.handle, std::move(x));
      else if (known.is_unknown)
        x->not_found();
      else
        caf::anon_send(supervisor, std::move(x));
    });
    return result;
  }

  int visit(const std::string& slug) {
    return test::await(visit_later(slug)).status;
  }

  caf::expected<link> call(const link& x, link_change change) {
    auto reply = std::make_shared<test::probe_reply<link>>();
    auto result = reply->result();
    caf::anon_send(supervisor, std::make_shared<link_call>(link_call{
                                 x.user_id, x.id, std::move(change), reply}));
    reply.reset();
    return test::await(std::move(result));
  }

  std::future<caf::expected<creation_answer>>
  create_later(link draft, std::optional<storage::idempotency> once = {}) {
    auto reply = std::make_shared<test::probe_reply<creation_answer>>();
    auto result = reply->result();
    creation_request request{std::move(draft), std::move(once),
                             [](const link& x) { return x.slug; }};
    caf::anon_send(supervisor, std::make_shared<creation_call>(
                                 creation_call{std::move(request), reply}));
    return result;
  }
};

TEST_F(link_supervisor_test, loads_a_link_once_for_all_that_wait) {
  test::latch_gate gate;
  store->add(make_link("promo"));
  store->hook = [&](const std::string&) { gate.wait(); };
  start();
  std::vector<std::future<test::outcome>> visits;
  for (int i = 0; i < 20; ++i)
    visits.push_back(visit_later("promo"));
  eventually([&] { return store->count("load_link") == 1; });
  gate.open();
  for (auto& x : visits)
    EXPECT_EQ(test::await(std::move(x)).status, 302);
  EXPECT_EQ(visit("promo"), 302);
  EXPECT_EQ(store->count("load_link"), 1);
}

/// Workers that are all busy with a link each.
struct cold_links_test : link_supervisor_test {
  test::latch_gate gate;
  std::vector<std::future<test::outcome>> visits;

  void start(size_t queue) {
    options.storage.workers = 4;
    start_pool(4, queue);
    spawn();
    for (int i = 0; i < 4; ++i) {
      store->add(make_link("busy-" + std::to_string(i)));
      visits.push_back(visit_later("busy-" + std::to_string(i)));
      eventually([&] { return store->count("load_link") == i + 1; });
    }
  }

  /// Visits new links `first` to `last`.
  void visit_links(int first, int last) {
    for (int i = first; i <= last; ++i) {
      store->add(make_link("promo-" + std::to_string(i)));
      visits.push_back(visit_later("promo-" + std::to_string(i)));
    }
  }

  /// Lets the workers go on; returns how often each status was answered.
  std::map<int, int> finish() {
    gate.open();
    std::map<int, int> result;
    for (auto& x : visits)
      ++result[test::await(std::move(x)).status];
    return result;
  }
};

TEST_F(cold_links_test, are_loaded_together) {
  store->hook = [&](const std::string&) { gate.wait(); };
  start(10);
  visit_links(1, 96);
  visits.push_back(visit_later("nobody"));
  eventually([&] { return counters.store_queue->Value() == 4; });
  EXPECT_EQ(finish(), (std::map<int, int>{{302, 100}, {404, 1}}));
  EXPECT_EQ(counters.store_refused->Value(), 0);
  EXPECT_EQ(store->count("load_link"), 101);
}

TEST_F(cold_links_test, are_refused_together_when_the_queue_is_full) {
  store->hook = [&](const std::string&) { gate.wait(); };
  start(1);
  visit_links(1, 33);
  eventually([&] { return counters.store_refused->Value() == 1; });
  EXPECT_EQ(finish(), (std::map<int, int>{{302, 36}, {503, 1}}));
  EXPECT_EQ(visit("promo-33"), 302);
}

TEST_F(cold_links_test, do_not_each_wait_for_a_store_that_is_gone) {
  store->hook = [&](const std::string&) {
    gate.wait();
    if (store->down)
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
  };
  start(10);
  visit_links(1, 33);
  eventually([&] { return counters.store_queue->Value() == 2; });
  store->down = true;
  EXPECT_EQ(finish(), (std::map<int, int>{{503, 37}}));
  EXPECT_EQ(store->count("load_link"), 6);
}

TEST_F(cold_links_test, are_answered_one_by_one_by_a_slow_store) {
  std::atomic<bool> is_slow = false;
  store->hook = [&](const std::string&) {
    gate.wait();
    if (is_slow)
      std::this_thread::sleep_for(std::chrono::milliseconds{60});
  };
  start(10);
  visit_links(1, 8);
  eventually([&] { return counters.store_queue->Value() == 1; });
  is_slow = true;
  EXPECT_EQ(finish(), (std::map<int, int>{{302, 12}}));
  EXPECT_EQ(store->count("load_link"), 12);
  const auto jobs = counters.expose();
  EXPECT_NE(jobs.find("turnout_store_operations_total{operation=\"load_link\","
                      "result=\"ok\"} 12"),
            std::string::npos);
}

TEST_F(link_supervisor_test, change_during_the_load_is_read) {
  test::latch_gate gate;
  auto x = store->add(make_link("promo"));
  std::atomic<int> loads = 0;
  store->hook = [&](const std::string&) {
    const auto n = ++loads;
    if (n == 1)
      gate.wait();
    else if (n == 4)
      store->add(x);
  };
  start_pool(2);
  spawn();
  auto answer = visit_later("promo");
  eventually([&] { return loads == 1; });
  caf::anon_send(supervisor, reload_atom::value, x.id);
  eventually([&] { return loads == 2; });
  // By the same worker, so it is answered after the other.
  EXPECT_FALSE(call(make_link("nobody"), {}));
  x.is_active = false;
  gate.open();
  EXPECT_EQ(test::await(std::move(answer)).status, 404);
  EXPECT_EQ(loads, 4);
}

TEST_F(link_supervisor_test, remembers_unknown_slugs_until_they_are_created) {
  start();
  EXPECT_EQ(visit("new-1"), 404);
  eventually([&] {
    bool known = false;
    on_reactor(0, [&] { known = directory->find("new-1").is_unknown; });
    return known;
  });
  const auto remembered = counters.directory_unknown.value();
  EXPECT_EQ(visit("new-1"), 404);
  EXPECT_EQ(counters.directory_unknown.value(), remembered + 1);
  EXPECT_EQ(store->count("load_link"), 1);
  auto draft = make_link("new-1");
  ASSERT_TRUE(test::await(create_later(draft)));
  EXPECT_EQ(visit("new-1"), 302);
}

TEST_F(link_supervisor_test, store_gone_means_503_but_known_links_go_on) {
  store->add(make_link("known"));
  start();
  EXPECT_EQ(visit("known"), 302);
  store->down = true;
  EXPECT_EQ(visit("known"), 302);
  EXPECT_EQ(visit("other"), 503);
  store->down = false;
  EXPECT_EQ(visit("other"), 404);
}

TEST_F(link_supervisor_test, change_holds_for_the_next_visit) {
  const auto x = store->add(make_link("promo", 100, 0));
  start();
  EXPECT_EQ(visit("promo"), 302);
  const auto changed = call(x, [&](const link& current, timestamp at) {
    return promote(current, x.variants[1].id, at);
  });
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->version, 2);
  EXPECT_EQ(test::await(visit_later("promo")).answer.location,
            "https://b.example/");
}

TEST_F(link_supervisor_test, change_is_computed_again_when_others_were_faster) {
  const auto x = store->add(make_link("promo"));
  start();
  EXPECT_EQ(visit("promo"), 302);
  auto by_other = x;
  by_other.name = "by another node";
  by_other.version = 2;
  store->add(by_other);
  const auto changed = call(x, [](const link& current, timestamp at) {
    link_patch patch;
    patch.auto_winner = true;
    return apply_patch(current, patch, at);
  });
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->name, "by another node");
  EXPECT_TRUE(changed->auto_winner);
  EXPECT_EQ(changed->version, 3);
}

TEST_F(link_supervisor_test, change_that_is_not_stored_does_not_hold) {
  const auto x = store->add(make_link("promo", 100, 0));
  start();
  EXPECT_EQ(visit("promo"), 302);
  store->down = true;
  const auto changed = call(x, [&](const link& current, timestamp at) {
    return promote(current, x.variants[1].id, at);
  });
  ASSERT_FALSE(changed);
  EXPECT_EQ(code_of(changed.error()), ec::unavailable);
  EXPECT_EQ(test::await(visit_later("promo")).answer.location,
            "https://a.example/");
}

TEST_F(link_supervisor_test, foreign_and_unknown_links_look_alike) {
  const auto x = store->add(make_link("promo"));
  start();
  auto foreign = x;
  foreign.user_id = make_uuid(now());
  auto unknown = x;
  unknown.id = make_uuid(now());
  for (const auto& y : {foreign, unknown}) {
    const auto result = call(y, {});
    ASSERT_FALSE(result);
    EXPECT_EQ(code_of(result.error()), ec::not_found);
    EXPECT_EQ(detail(result.error()), "Link not found");
  }
  EXPECT_TRUE(call(x, {}));
}

TEST_F(link_supervisor_test, deleted_link_is_gone_for_visits_and_calls) {
  const auto x = store->add(make_link("promo"));
  start();
  EXPECT_EQ(visit("promo"), 302);
  ASSERT_TRUE(call(x, mark_deleted));
  EXPECT_EQ(visit("promo"), 404);
  EXPECT_EQ(code_of(call(x, {}).error()), ec::not_found);
  EXPECT_EQ(code_of(call(x, mark_deleted).error()), ec::not_found);
}

TEST_F(link_supervisor_test, taken_slug_is_named) {
  store->add(make_link("dup-1"));
  start();
  const auto x = test::await(create_later(make_link("dup-1")));
  ASSERT_FALSE(x);
  EXPECT_EQ(code_of(x.error()), ec::conflict);
  EXPECT_EQ(detail(x.error()), "Slug 'dup-1' is already taken");
}

TEST_F(link_supervisor_test, makes_a_slug_of_the_set_length) {
  options.slug.length = 9;
  start();
  const auto x = test::await(create_later(make_link("")));
  ASSERT_TRUE(x);
  EXPECT_EQ(x->body.size(), 9u);
  EXPECT_EQ(visit(x->body), 302);
}

TEST_F(link_supervisor_test, makes_another_slug_when_one_is_taken) {
  auto tries = 0;
  store->is_taken = [&](const std::string&) { return ++tries <= 2; };
  start();
  const auto x = test::await(create_later(make_link("")));
  ASSERT_TRUE(x) << detail(x.error());
  EXPECT_EQ(tries, 3);
  EXPECT_EQ(x->body.size(), 7u);
  EXPECT_EQ(visit(x->body), 302);
}

TEST_F(link_supervisor_test, makes_longer_slugs_when_the_short_ones_are_taken) {
  store->is_taken = [](const std::string& slug) { return slug.size() < 9; };
  start();
  const auto x = test::await(create_later(make_link("")));
  ASSERT_TRUE(x) << detail(x.error());
  EXPECT_EQ(x->body.size(), 9u);
  EXPECT_EQ(visit(x->body), 302);
}

TEST_F(link_supervisor_test, second_request_with_a_running_key_is_refused) {
  test::latch_gate gate;
  store->hook = [&](const std::string&) { gate.wait(); };
  start();
  const storage::idempotency once{"key-1", "hash", ""};
  const auto draft = make_link("once-1");
  auto first = create_later(draft, once);
  eventually([&] { return store->count("create_link") == 1; });
  const auto second = test::await(create_later(draft, once));
  ASSERT_FALSE(second);
  EXPECT_EQ(code_of(second.error()), ec::in_progress);
  gate.open();
  EXPECT_TRUE(test::await(std::move(first)));
}

TEST_F(link_supervisor_test, what_waits_for_the_store_goes_there_at_once) {
  test::latch_gate gate;
  store->hook = [&](const std::string&) { gate.wait(); };
  start();
  auto first = create_later(make_link("one-1"));
  eventually([&] { return store->count("create_link") == 1; });
  std::vector<std::future<caf::expected<creation_answer>>> others;
  for (auto i = 0; i < 20; ++i)
    others.push_back(create_later(make_link("more-" + std::to_string(i % 18))));
  // Behind all of them in the mailbox of the supervisor.
  auto last = create_later(make_link(""));
  eventually([&] {
    auto is_idle = false;
    on_reactor(0, [&] { is_idle = true; });
    on_reactor(1, [&] { is_idle = true; });
    return is_idle;
  });
  gate.open();
  EXPECT_TRUE(test::await(std::move(first)));
  auto taken = 0;
  for (auto& x : others) {
    const auto made = test::await(std::move(x));
    if (made) {
      EXPECT_EQ(visit(made->body), 302);
    } else {
      EXPECT_EQ(code_of(made.error()), ec::conflict);
      ++taken;
    }
  }
  EXPECT_EQ(taken, 2);
  EXPECT_TRUE(test::await(std::move(last)));
  EXPECT_EQ(store->count("create_link"), 22);
  EXPECT_LT(store->batches_of_links, 22);
}

TEST_F(link_supervisor_test, none_is_told_to_be_stored_when_a_batch_fails) {
  start();
  store->down = true;
  std::vector<std::future<caf::expected<creation_answer>>> all;
  for (auto i = 0; i < 20; ++i)
    all.push_back(
      create_later(make_link("gone-" + std::to_string(i)),
                   storage::idempotency{std::to_string(i), "", ""}));
  for (auto& x : all) {
    const auto made = test::await(std::move(x));
    ASSERT_FALSE(made);
    EXPECT_EQ(code_of(made.error()), ec::unavailable);
  }
  store->down = false;
  // Neither slug nor key is taken.
  EXPECT_TRUE(test::await(
    create_later(make_link("gone-7"), storage::idempotency{"7", "", ""})));
  EXPECT_EQ(visit("gone-7"), 302);
}

TEST_F(link_supervisor_test, own_links_are_not_read_again_but_others_changes) {
  start();
  auto draft = make_link("mine-1", 100, 0);
  ASSERT_TRUE(test::await(create_later(draft)));
  // The feed tells what we did ...
  caf::anon_send(supervisor, reload_atom::value, draft.id);
  EXPECT_EQ(visit("mine-1"), 302);
  ASSERT_TRUE(call(draft, {}));
  EXPECT_EQ(store->count("load_link"), 0);
  // ... and then what somebody else did.
  draft.is_active = false;
  store->add(draft);
  caf::anon_send(supervisor, reload_atom::value, draft.id);
  eventually([&] { return visit("mine-1") == 404; });
  EXPECT_EQ(store->count("load_link"), 1);
}

TEST_F(link_supervisor_test, a_link_that_was_not_made_is_no_secret) {
  start();
  auto draft = make_link("lost-1");
  store->down = true;
  ASSERT_FALSE(test::await(create_later(draft)));
  store->down = false;
  // It was stored all the same, only the answer was lost.
  EXPECT_EQ(visit("lost-1"), 404);
  store->add(draft);
  caf::anon_send(supervisor, reload_atom::value, draft.id);
  eventually([&] { return visit("lost-1") == 302; });
}

TEST_F(link_supervisor_test, account_with_all_its_links_gets_no_more) {
  options.links.per_account = 1;
  start();
  ASSERT_TRUE(test::await(create_later(make_link("one-1"))));
  const auto x = test::await(create_later(make_link("two-2")));
  ASSERT_FALSE(x);
  EXPECT_EQ(code_of(x.error()), ec::invalid);
}

TEST_F(link_supervisor_test, idle_links_leave_and_come_back) {
  options.links.idle_seconds = 0;
  store->add(make_link("promo"));
  start();
  EXPECT_EQ(visit("promo"), 302);
  eventually([&] { return counters.links_passivated->Value() >= 1; });
  eventually([&] { return counters.links_loaded->Value() == 0; });
  EXPECT_EQ(visit("promo"), 302);
  EXPECT_GE(store->count("load_link"), 2);
}

TEST_F(link_supervisor_test, every_one_of_many_idle_links_leaves) {
  options.links.idle_seconds = 1;
  start();
  // More than are looked at in one go.
  for (int i = 0; i < 1500; ++i) {
    const auto slug = "promo-" + std::to_string(i);
    store->add(make_link(slug));
    EXPECT_EQ(visit(slug), 302);
  }
  eventually([&] { return counters.links_passivated->Value() == 1500; });
  EXPECT_EQ(counters.links_loaded->Value(), 0);
}

TEST_F(link_supervisor_test, no_visit_fails_while_links_come_and_go) {
  options.links.idle_seconds = 0;
  store->add(make_link("promo"));
  start();
  for (int round = 0; round < 20; ++round) {
    std::vector<std::future<test::outcome>> visits;
    for (int i = 0; i < 50; ++i)
      visits.push_back(visit_later("promo"));
    for (auto& x : visits)
      ASSERT_EQ(test::await(std::move(x)).status, 302);
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
  EXPECT_GE(counters.links_passivated->Value(), 1);
}

TEST_F(link_supervisor_test, link_that_dies_is_loaded_again) {
  const auto x = store->add(make_link("promo"));
  start();
  EXPECT_EQ(visit("promo"), 302);
  const auto dead = call(x, [](const link&, timestamp) -> caf::expected<link> {
    throw std::runtime_error{"boom"};
  });
  ASSERT_FALSE(dead);
  EXPECT_EQ(code_of(dead.error()), ec::unavailable);
  eventually([&] { return visit("promo") == 302; });
  EXPECT_EQ(store->count("load_link"), 2);
}

TEST_F(link_supervisor_test, change_by_another_process_is_read) {
  auto x = store->add(make_link("promo", 100, 0));
  start();
  EXPECT_EQ(visit("promo"), 302);
  x.is_active = false;
  store->add(x);
  caf::anon_send(supervisor, reload_atom::value, x.id);
  eventually([&] { return visit("promo") == 404; });
}

TEST_F(link_supervisor_test, link_made_by_another_process_is_unknown_no_more) {
  start();
  EXPECT_EQ(visit("promo"), 404);
  const auto x = store->add(make_link("promo"));
  caf::anon_send(supervisor, reload_atom::value, x.id);
  eventually([&] { return visit("promo") == 302; });
}

} // namespace

} // namespace turnout
