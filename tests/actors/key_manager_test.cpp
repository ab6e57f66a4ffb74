#include "actors/key_manager.hpp"

#include "tests/actors/actors_fixture.hpp"

#include <caf/scoped_actor.hpp>

namespace turnout {

namespace {

using namespace turnout::test;

struct key_manager_test : actors_fixture {
  key_ring ring{1000};
  account owner;
  key_manager_actor manager;

  key_manager_test() {
    owner.id = make_uuid(now());
    owner.email = "ann@example.org";
    store->accounts.push_back(owner);
    start_pool(2);
  }

  ~key_manager_test() override {
    if (!manager)
      return;
    // It uses the ring, which goes before the actor system.
    caf::scoped_actor self{*system};
    self->monitor(manager);
    self->send_exit(manager, caf::exit_reason::user_shutdown);
    self->receive([](const caf::down_msg&) {});
  }

  void start() {
    manager = system->spawn(key_manager, &ring, pool, &counters);
  }

  api_key new_key(const std::string& text) const {
    api_key x;
    x.id = make_uuid(now());
    x.account_id = owner.id;
    x.hash = sha256_hex(text);
    return x;
  }

  /// Lets the manager add a key; the result says what the ring knew when it
  /// was answered.
  std::future<std::pair<caf::error, bool>> add(const std::string& text) {
    const auto key = new_key(text);
    auto answer = std::make_shared<std::promise<std::pair<caf::error, bool>>>();
    auto call = std::make_shared<key_call>();
    call->name = "add_key";
    call->store = [key](storage::backend& db) { return db.add_key(key); };
    call->apply = [key](key_ring& ring) {
      principal who;
      who.account_id = key.account_id;
      who.key_id = key.id;
      ring.add(key.hash, who);
    };
    call->done = [this, answer, text](caf::error err) {
      answer->set_value({std::move(err), ring.find(text).has_value()});
    };
    auto result = answer->get_future();
    caf::anon_send(manager, std::move(call));
    return result;
  }
};

TEST_F(key_manager_test, a_new_key_is_known_when_it_is_answered) {
  start();
  for (int i = 0; i < 20; ++i) {
    const auto [err, known] = await(add(make_key(key_type::secret)));
    EXPECT_FALSE(err);
    EXPECT_TRUE(known);
  }
  EXPECT_EQ(ring.size(), 20u);
}

TEST_F(key_manager_test, what_the_store_refuses_is_not_known) {
  start();
  eventually([&] { return store->count("list_keys") > 0; });
  store->down = true;
  const auto [err, known] = await(add(make_key(key_type::secret)));
  EXPECT_EQ(code_of(err), ec::unavailable);
  EXPECT_FALSE(known);
}

TEST_F(key_manager_test, a_slow_read_does_not_undo_a_change) {
  // Reads an empty list, and is held back until a key was added.
  latch_gate gate;
  std::atomic<bool> hold = true;
  store->hook = [&](const std::string& call) {
    if (call == "list_accounts" && hold)
      gate.wait();
  };
  start();
  eventually([&] { return store->count("list_accounts") > 0; });
  const auto text = make_key(key_type::secret);
  auto answer = add(text);
  hold = false;
  gate.open();
  const auto [err, known] = await(std::move(answer));
  EXPECT_FALSE(err);
  EXPECT_TRUE(known);
  EXPECT_TRUE(ring.find(text));
  store->hook = nullptr;
}

TEST_F(key_manager_test, a_reload_brings_what_others_changed) {
  start();
  const auto text = make_key(key_type::secret);
  {
    const std::lock_guard guard{store->mutex};
    store->keys.push_back(new_key(text));
  }
  caf::anon_send(manager, reload_atom::value);
  eventually([&] { return ring.find(text).has_value(); });
  EXPECT_TRUE(ring.find_account(owner.id));
  EXPECT_FALSE(ring.find_account(make_uuid(now())));
}

} // namespace

} // namespace turnout
