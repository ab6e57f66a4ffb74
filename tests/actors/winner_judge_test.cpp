#include "actors/winner_judge.hpp"

#include "core/changes.hpp"
#include "tests/actors/actors_fixture.hpp"

namespace turnout {

namespace {

struct winner_judge_test : test::actors_fixture {
  winner_judge_actor judge;

  ~winner_judge_test() override {
    if (judge)
      caf::anon_send_exit(judge, caf::exit_reason::user_shutdown);
    judge = nullptr;
  }

  void start() {
    start_pool(2);
    winner_judge_tools tools{pool, &counters};
    tools.overdue_after = std::chrono::milliseconds{500};
    judge = system->spawn(winner_judge, tools);
  }

  /// Adds a link of which B is the winner, and returns its new totals.
  storage::link_totals add_link(uint64_t n, int64_t conversions_of_b = 60) {
    const std::lock_guard guard{store->mutex};
    const uuid id{2, n};
    auto& x = store->evidence[id];
    x.subject = test::make_link("link-" + std::to_string(n));
    x.subject.id = id;
    x.subject.key = static_cast<row_key>(n);
    x.subject.auto_winner = true;
    x.strata.push_back(current_stratum(x.subject));
    storage::link_totals result;
    result.link_id = id;
    result.auto_winner = true;
    result.version = 1;
    for (size_t i = 0; i < 2; ++i) {
      const auto converted = i == 0 ? 20 : conversions_of_b;
      const auto& v = x.subject.variants[i];
      x.counts.push_back({1, v.id, 500, converted});
      result.variants.push_back({v.id, 500, converted, converted});
    }
    return result;
  }

  void tell(std::vector<storage::link_totals> x) {
    caf::anon_send(judge,
                   touched_links_ptr{
                     std::make_shared<const std::vector<storage::link_totals>>(
                       std::move(x))});
  }

  double made() const {
    return counters.recommendations->Value();
  }

  bool is_recommended(uint64_t n) {
    const std::lock_guard guard{store->mutex};
    return store->evidence[uuid{2, n}].recommended.has_value();
  }
};

} // namespace

TEST_F(winner_judge_test, judges_the_links_that_were_touched) {
  start();
  tell({add_link(1), add_link(2, 25), add_link(3)});
  eventually([&] { return made() == 2; });
  EXPECT_TRUE(is_recommended(1));
  EXPECT_FALSE(is_recommended(2));
  EXPECT_TRUE(is_recommended(3));
  EXPECT_EQ(counters.winner_evaluations->Value(), 3);
}

TEST_F(winner_judge_test, reads_nothing_for_what_cannot_decide) {
  auto x = add_link(1, 25);
  start();
  tell({x});
  eventually([&] { return store->count("evidence") == 1; });
  // Only clicks.
  for (int i = 0; i < 20; ++i) {
    x.variants[0].clicks += 10;
    tell({x});
  }
  tell({add_link(2)});
  eventually([&] { return made() == 1; });
  EXPECT_EQ(store->count("evidence"), 2);
}

TEST_F(winner_judge_test, takes_one_store_worker_at_most) {
  test::latch_gate gate;
  std::atomic<int> at_once = 0;
  std::atomic<int> most = 0;
  std::vector<storage::link_totals> all;
  for (uint64_t i = 1; i <= 20; ++i)
    all.push_back(add_link(i));
  store->hook = [&](const std::string& call) {
    if (call != "evidence")
      return;
    const auto n = ++at_once;
    for (auto seen = most.load(); n > seen;)
      most.compare_exchange_weak(seen, n);
    gate.wait();
    --at_once;
  };
  start();
  tell(all);
  tell(all);
  eventually([&] { return at_once == 1; });
  gate.open();
  eventually([&] { return made() == 20; });
  EXPECT_EQ(most, 1);
}

TEST_F(winner_judge_test, goes_on_when_the_store_is_back) {
  store->down = true;
  start();
  tell({add_link(1)});
  eventually([&] { return store->count("evidence") == 1; });
  EXPECT_EQ(made(), 0);
  store->down = false;
  eventually([&] { return made() == 1; });
  EXPECT_TRUE(is_recommended(1));
}

TEST_F(winner_judge_test, a_change_is_judged_without_new_events) {
  auto x = add_link(1);
  {
    const std::lock_guard guard{store->mutex};
    store->evidence[x.link_id].subject.auto_winner_threshold = 5000;
  }
  start();
  tell({x});
  eventually([&] { return store->count("evidence") == 1; });
  {
    const std::lock_guard guard{store->mutex};
    store->evidence[x.link_id].subject.auto_winner_threshold = 1000;
  }
  caf::anon_send(judge, reload_atom::value, x.link_id);
  eventually([&] { return made() == 1; });
  const std::lock_guard guard{store->mutex};
  EXPECT_EQ(store->evidence[x.link_id].recommended->trigger,
            winner_trigger::change);
}

TEST_F(winner_judge_test, a_reader_does_not_take_the_place_of_what_decided) {
  auto x = add_link(1);
  x.last_conversion = uuid{3, 1};
  start();
  for (int i = 0; i < 20; ++i)
    caf::anon_send(judge, overdue_atom::value, x.link_id);
  tell({x});
  eventually([&] { return made() == 1; });
  // Once more for all its readers, and nothing after that.
  eventually([&] { return store->count("evidence") == 2; });
  tell({add_link(2)});
  eventually([&] { return made() == 2; });
  EXPECT_EQ(store->count("evidence"), 3);
  const std::lock_guard guard{store->mutex};
  const auto& stored = *store->evidence[x.link_id].recommended;
  EXPECT_EQ(stored.trigger, winner_trigger::conversion);
  EXPECT_EQ(stored.conversion_id, x.last_conversion);
}

TEST_F(winner_judge_test, a_reader_makes_up_for_a_lost_evaluation) {
  const auto x = add_link(1);
  start();
  for (int i = 0; i < 2; ++i) {
    caf::anon_send(judge, overdue_atom::value, x.link_id);
    eventually([&] { return store->count("evidence") == i + 1; });
  }
  EXPECT_EQ(made(), 1);
  EXPECT_TRUE(is_recommended(1));
}

TEST_F(winner_judge_test, watches_a_bounded_number_of_links) {
  winner_judge_state state;
  state.tools.max_watched = 10;
  for (uint64_t i = 1; i <= 100; ++i) {
    state.note(add_link(i));
    ASSERT_TRUE(state.next());
    state.finish(uuid{2, i}, {false, 0, std::nullopt});
  }
  EXPECT_EQ(state.watched(), 10u);
  // What was forgotten is evaluated anew.
  state.note(add_link(101));
  EXPECT_TRUE(state.next());
  EXPECT_FALSE(state.next());
}

} // namespace turnout
