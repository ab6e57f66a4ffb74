#include "actors/drain.hpp"

#include "core/identifiers.hpp"
#include "tests/actors/actors_fixture.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

namespace turnout {

namespace {

using namespace std::chrono_literals;

struct drain_test : test::actors_fixture {
  std::filesystem::path dir = std::filesystem::temp_directory_path()
                              / ("turnout-drain-" + make_uuid(now()).str());
  drain_tools tools;
  drain_state state;
  timestamp start = now();

  drain_test() {
    tools.journal_dir = dir;
    tools.node = make_uuid(now());
    tools.open = test::open_memory(store);
    tools.committed = [](int) { return int64_t{0}; };
    tools.counters = &counters;
  }

  ~drain_test() override {
    std::filesystem::remove_all(dir);
  }

  std::unique_ptr<journal::writer> open(int number) {
    auto out = journal::writer::open(dir, number, 0, {});
    if (!out)
      throw std::runtime_error{detail(out.error())};
    return std::move(*out);
  }

  click click_at(std::chrono::microseconds after) const {
    click x;
    x.created_at = start + after;
    x.id = make_uuid(x.created_at);
    x.link_key = 1;
    x.variant_key = 1;
    x.user_agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, "
                   "like Gecko) Chrome/120.0.0.0 Safari/537.36";
    x.referrer = "https://www.news.example/a";
    return x;
  }

  /// Appends 25 clicks to a journal, changed by `f(click, number)`.
  template <class F>
  void append_clicks(journal::writer& out, F f) {
    for (int i = 0; i < 25; ++i) {
      auto x = click_at(i * 1us);
      f(x, i);
      out.append(x);
    }
  }

  void append_clicks(journal::writer& out) {
    append_clicks(out, [](click&, int) {
      // nop
    });
  }

  conversion_request conversion_at(std::chrono::microseconds after) const {
    conversion_request x;
    x.created_at = x.occurred_at = start + after;
    x.id = make_uuid(x.created_at);
    return x;
  }
};

// -- priority -----------------------------------------------------------------

struct drain_priority_test : drain_test {
  /// Priorities of the thread in each call of `store_events`.
  std::vector<int> priorities;
  const int usual = ::getpriority(PRIO_PROCESS, 0);
  const int low = std::min(19, usual + 15);
  const int lower = std::min(19, usual + 5);

  drain_priority_test() {
    store->hook = [this](const std::string& call) {
      if (call == "store_events")
        priorities.push_back(::getpriority(PRIO_PROCESS, 0));
    };
    state.init(tools);
  }
};

TEST_F(drain_priority_test, visitors_come_before_new_events) {
  auto out = open(0);
  append_clicks(*out);
  ASSERT_FALSE(out->commit());
  ASSERT_TRUE(state.move_round());
  EXPECT_EQ(priorities, std::vector<int>{low});
}

TEST_F(drain_priority_test, events_do_not_wait_for_ever) {
  auto out = open(0);
  for (const auto age : {60s, 10s, 0s}) {
    append_clicks(*out, [&](click& x, int) { x.created_at -= age; });
    ASSERT_FALSE(out->commit());
    ASSERT_TRUE(state.move_round());
  }
  EXPECT_EQ(priorities, (std::vector<int>{usual, lower, low}));
}

TEST_F(drain_priority_test, rounds_of_old_events_are_late) {
  auto out = open(0);
  for (const auto age : {60s, 2s}) {
    append_clicks(*out, [&](click& x, int) { x.created_at -= age; });
    ASSERT_FALSE(out->commit());
    ASSERT_TRUE(state.move_round());
    EXPECT_TRUE(state.is_late()) << age.count();
  }
  // Nothing is waiting any more.
  ASSERT_TRUE(state.move_round());
  EXPECT_FALSE(state.is_late());
  // An hour ahead, as after a clock that was set back.
  append_clicks(*out, [&](click& x, int) { x.created_at += 1h; });
  ASSERT_FALSE(out->commit());
  ASSERT_TRUE(state.move_round());
  EXPECT_FALSE(state.is_late());
}

TEST_F(drain_priority_test, nor_does_who_waits_for_them) {
  auto out = open(0);
  append_clicks(*out);
  ASSERT_FALSE(out->commit());
  ASSERT_FALSE(state.move_all());
  append_clicks(*out);
  ASSERT_FALSE(out->commit());
  ASSERT_TRUE(state.move_round());
  EXPECT_EQ(priorities, (std::vector<int>{usual, low}));
}

TEST(drain_rest, is_longer_after_long_rounds_within_bounds) {
  EXPECT_EQ(rest_after(1ms, 200ms), 200ms);
  EXPECT_EQ(rest_after(50ms, 200ms), 400ms);
  EXPECT_EQ(rest_after(50001us, 200ms), 408ms);
  EXPECT_EQ(rest_after(10s, 200ms), 700ms);
  // Who wants counts soon gets them soon, ...
  EXPECT_EQ(rest_after(10s, 50ms), 175ms);
  EXPECT_EQ(rest_after(10s, 11ms), 39ms);
  // ... and nobody waits for more than was asked for.
  EXPECT_EQ(rest_after(10s, 500ms), 700ms);
  EXPECT_EQ(rest_after(10s, 2s), 2s);
}

TEST_F(drain_test, moves_everything_with_its_classes_and_position) {
  auto out = open(0);
  for (int i = 0; i < 3; ++i)
    out->append(click_at(i * 1us));
  out->append(excluded_visit{1, exclusion::crawler, start + 5us});
  ASSERT_FALSE(out->commit());
  state.init(tools);
  ASSERT_FALSE(state.move_all());
  ASSERT_EQ(store->batches.size(), 1u);
  const auto& batch = store->batches.front();
  EXPECT_EQ(batch.node, tools.node);
  ASSERT_EQ(batch.clicks.size(), 3u);
  ASSERT_EQ(batch.excluded.size(), 1u);
  ASSERT_EQ(batch.ranges.size(), 1u);
  EXPECT_EQ(batch.ranges[0].last, out->last_position());
  const auto& classes = batch.classes.front().values;
  EXPECT_EQ(classes[size_t(dimension::country)], "unknown");
  EXPECT_EQ(classes[size_t(dimension::referrer)], "news.example");
  EXPECT_EQ(classes[size_t(dimension::browser)], "Chrome");
  EXPECT_EQ(classes[size_t(dimension::device)], "desktop");
  EXPECT_EQ(classes[size_t(dimension::system)], "Linux");
  ASSERT_FALSE(state.move_all());
  EXPECT_EQ(store->batches.size(), 1u);
}

TEST_F(drain_test, begins_where_the_store_says) {
  auto out = open(0);
  for (int i = 0; i < 5; ++i)
    out->append(click_at(i * 1us));
  ASSERT_FALSE(out->commit());
  store->positions[0] = out->last_position() - 2;
  state.init(tools);
  ASSERT_FALSE(state.move_all());
  ASSERT_EQ(store->batches.size(), 1u);
  EXPECT_EQ(store->batches.front().clicks.size(), 2u);
}

TEST_F(drain_test, keeps_what_the_store_does_not_take) {
  auto out = open(0);
  out->append(click_at(0us));
  ASSERT_FALSE(out->commit());
  state.init(tools);
  store->down = true;
  EXPECT_TRUE(state.move_all());
  EXPECT_TRUE(state.move_all());
  store->down = false;
  EXPECT_FALSE(state.move_all());
  ASSERT_EQ(store->batches.size(), 1u);
  EXPECT_EQ(store->batches.front().clicks.size(), 1u);
}

TEST_F(drain_test, shows_what_waits_while_the_store_is_away) {
  auto out = open(0);
  tools.committed = [&](int) { return out->last_position(); };
  state.init(tools);
  out->append(click_at(0us));
  ASSERT_FALSE(out->commit());
  ASSERT_FALSE(state.move_all());
  EXPECT_EQ(counters.journal_depth->Value(), 0);
  EXPECT_EQ(counters.journal_oldest, 0);
  store->down = true;
  for (int i = 1; i <= 3; ++i) {
    out->append(click_at(i * 1us));
    ASSERT_FALSE(out->commit());
    EXPECT_TRUE(state.move_all());
    EXPECT_EQ(counters.journal_depth->Value(), i);
    EXPECT_EQ(counters.journal_oldest,
              (start + 1us).time_since_epoch().count());
  }
  store->down = false;
  ASSERT_FALSE(state.move_all());
  EXPECT_EQ(counters.journal_depth->Value(), 0);
  EXPECT_EQ(counters.journal_oldest, 0);
}

TEST_F(drain_test, asks_again_while_a_conversion_waits_for_another_node) {
  auto out = open(0);
  out->append(conversion_at(0us));
  ASSERT_FALSE(out->commit());
  state.init(tools);
  store->is_conversion_waiting = true;
  ASSERT_FALSE(state.move_all());
  ASSERT_EQ(store->batches.size(), 1u);
  store->is_conversion_waiting = false;
  ASSERT_FALSE(state.move_all());
  ASSERT_EQ(store->batches.size(), 2u);
  EXPECT_TRUE(store->batches.back().ranges.empty());
  ASSERT_FALSE(state.move_all());
  EXPECT_EQ(store->batches.size(), 2u);
}

TEST_F(drain_test, conversion_waits_for_clicks_of_a_journal_that_is_behind) {
  auto first = open(0);
  auto second = open(1);
  // The click of the conversion lies behind what fits into a batch.
  append_clicks(*second);
  first->append(click_at(1us));
  first->append(conversion_at(30us));
  ASSERT_FALSE(first->commit());
  ASSERT_FALSE(second->commit());
  tools.batch = 10;
  tools.round = 20;
  state.init(tools);
  ASSERT_FALSE(state.move_all());
  size_t clicks_before = 0;
  for (const auto& batch : store->batches) {
    clicks_before += batch.clicks.size();
    if (!batch.conversions.empty())
      break;
  }
  EXPECT_EQ(clicks_before, 26u);
  EXPECT_EQ(store->batches.back().conversions.size(), 1u);
}

TEST_F(drain_test, stores_a_round_link_by_link_in_several_batches) {
  auto out = open(0);
  append_clicks(*out, [](click& x, int i) { x.link_key = i % 2 + 1; });
  out->append(excluded_visit{1, exclusion::crawler, start});
  ASSERT_FALSE(out->commit());
  tools.batch = 10;
  state.init(tools);
  ASSERT_FALSE(state.move_all());
  ASSERT_EQ(store->batches.size(), 3u);
  std::vector<std::pair<row_key, uuid>> order;
  for (const auto& batch : store->batches) {
    ASSERT_EQ(batch.ranges.size(), 1u);
    EXPECT_EQ(batch.ranges[0].last, out->last_position());
    for (const auto& x : batch.clicks)
      order.emplace_back(x.link_key, x.id);
  }
  EXPECT_EQ(order.size(), 25u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_TRUE(store->batches[0].is_part);
  EXPECT_TRUE(store->batches[1].is_part);
  EXPECT_FALSE(store->batches[2].is_part);
  EXPECT_EQ(store->batches[2].excluded.size(), 1u);
}

TEST_F(drain_test, conversions_come_with_the_clicks_of_their_visitors) {
  auto out = open(0);
  append_clicks(*out, [](click& x, int i) { x.visitor = i % 5 + 1; });
  auto conversion = conversion_at(12us);
  conversion.visitors = {3, 0};
  out->append(conversion);
  ASSERT_FALSE(out->commit());
  tools.batch = 10;
  state.init(tools);
  ASSERT_FALSE(state.move_all());
  ASSERT_EQ(store->batches.size(), 2u);
  for (const auto& x : store->batches[0].clicks)
    EXPECT_NE(x.visitor, 3);
  const auto& last = store->batches[1];
  EXPECT_EQ(last.conversions.size(), 1u);
  EXPECT_EQ(std::count_if(last.clicks.begin(), last.clicks.end(),
                          [](const click& x) { return x.visitor == 3; }),
            5);
}

TEST_F(drain_test, begins_a_round_again_that_failed_half_way) {
  auto out = open(0);
  append_clicks(*out);
  ASSERT_FALSE(out->commit());
  tools.batch = 10;
  tools.touched = [this](const auto&) { store->down = true; };
  state.init(tools);
  EXPECT_TRUE(state.move_all());
  ASSERT_EQ(store->batches.size(), 1u);
  store->down = false;
  tools.touched = {};
  state.init(tools);
  ASSERT_FALSE(state.move_all());
  ASSERT_EQ(store->batches.size(), 4u);
  EXPECT_EQ(store->batches[1].clicks.size(), 10u);
  EXPECT_EQ(store->batches[3].clicks.size(), 5u);
}

TEST_F(drain_test, a_round_ends_where_it_has_enough) {
  auto out = open(0);
  append_clicks(*out);
  ASSERT_FALSE(out->commit());
  tools.batch = 5;
  tools.round = 10;
  state.init(tools);
  auto more = state.move_round();
  ASSERT_TRUE(more);
  EXPECT_TRUE(*more);
  size_t clicks = 0;
  for (const auto& x : store->batches)
    clicks += x.clicks.size();
  EXPECT_EQ(clicks, 10u);
  ASSERT_FALSE(state.move_all());
  clicks = 0;
  for (const auto& x : store->batches)
    clicks += x.clicks.size();
  EXPECT_EQ(clicks, 25u);
}

} // namespace

} // namespace turnout
