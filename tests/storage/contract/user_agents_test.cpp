#include "tests/storage/contract/fixture.hpp"

#include <map>

namespace turnout::test {

// User agents, which a plugin may store once for many clicks (run_agents of the
// SQLite plugin).

namespace {

class user_agents_test : public store_test {
protected:
  /// Adds a click to the next batch.
  void add(const link& x, const std::string& agent, const std::string& browser,
           int minute = 0, int day = 0) {
    auto y = new_click(x, 0, moment(12, minute, day), ++x_visitors);
    y.user_agent = agent;
    events.add(y, browser);
  }

  /// Returns how many clicks of a list have each user agent.
  std::map<std::string, int> agents_of(const link& x) {
    std::map<std::string, int> result;
    for (const auto& y : all_clicks(x, {}))
      ++result[y.user_agent];
    return result;
  }

  /// Returns how many clicks have each browser.
  std::map<std::string, int64_t> browsers_of(const link& x) {
    return clicks_by_value(report(x), dimension::browser);
  }

  /// Checks how many user agents are stored apart from their clicks.
  void expect_agents(int64_t count) {
    if (has_runs()) {
      EXPECT_EQ(raw->number("SELECT count(*) FROM run_agents"), count);
    }
  }

private:
  int64_t x_visitors = 0;
};

TURNOUT_CONTRACT_SUITE(user_agents_test);

} // namespace

TEST_P(user_agents_test, each_click_has_its_own) {
  auto x = store_link("agents-1");
  auto y = store_link("agents-2");
  for (int batch = 0; batch < 2; ++batch) {
    for (int i = 0; i < 9; ++i) {
      add(x, "agent of Firefox", "Firefox", i);
      add(y, i < 4 ? "agent of Chrome" : "agent of Safari",
          i < 4 ? "Chrome" : "Safari", i);
    }
    add(y, "", "other");
    store(events);
    expect_agents(4);
  }
  using testing::Pair;
  using testing::UnorderedElementsAre;
  const auto expect_all = [&] {
    EXPECT_THAT(agents_of(x),
                UnorderedElementsAre(Pair("agent of Firefox", 18)));
    EXPECT_THAT(agents_of(y),
                UnorderedElementsAre(Pair("agent of Chrome", 8),
                                     Pair("agent of Safari", 10), Pair("", 2)));
    EXPECT_THAT(browsers_of(x), UnorderedElementsAre(Pair("Firefox", 18)));
    EXPECT_THAT(browsers_of(y),
                UnorderedElementsAre(Pair("Chrome", 8), Pair("Safari", 10),
                                     Pair("other", 2)));
    for (const auto& link : {x, y})
      expect_sums_agree(link);
    expect_verified();
  };
  expect_all();
  // A later day has them added to the roll-ups.
  store_click(store_link("agents-3"), 0, moment(12, 0, 2));
  if (has_runs()) {
    EXPECT_EQ(raw->number("SELECT count(*) FROM recent_clicks"), 0);
  }
  expect_all();
}

TEST_P(user_agents_test, what_it_is_may_change) {
  // As with a version that knows more browsers.
  auto x = store_link("agents-1");
  for (const auto* browser : {"other", "Firefox", "other"}) {
    add(x, "agent", browser);
    store(events);
  }
  expect_agents(1);
  EXPECT_EQ(agents_of(x)["agent"], 3);
  EXPECT_EQ(browsers_of(x)["other"], 2);
  EXPECT_EQ(browsers_of(x)["Firefox"], 1);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(user_agents_test, several_processes_add_some) {
  auto x = store_link("agents-1");
  auto other = open();
  batch_builder others{make_uuid(now())};
  for (int i = 0; i < 3; ++i) {
    add(x, "agent " + std::to_string(i), "browser " + std::to_string(i));
    store(events);
    for (const auto number : {i, 10 + i}) {
      auto y = new_click(x, 0, moment(12, 30), 100 + number);
      y.user_agent = "agent " + std::to_string(number);
      others.add(y, "browser " + std::to_string(number));
    }
    const auto stored = other->store_events(others.take());
    ASSERT_TRUE(stored) << detail(stored.error());
    EXPECT_EQ(stored->clicks, 2);
  }
  expect_agents(6);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(agents_of(x)["agent " + std::to_string(i)], 2);
    EXPECT_EQ(agents_of(x)["agent " + std::to_string(10 + i)], 1);
    EXPECT_EQ(browsers_of(x)["browser " + std::to_string(i)], 2);
    EXPECT_EQ(browsers_of(x)["browser " + std::to_string(10 + i)], 1);
  }
  expect_verified();
}

TEST_P(user_agents_test, too_many_are_stored_all_the_same) {
  std::vector<link> links;
  for (int i = 0; i < 700; ++i)
    links.push_back(store_link("agents-" + std::to_string(i)));
  for (int i = 0; i < 10'500; ++i)
    add(links[static_cast<size_t>(i) % links.size()],
        "agent " + std::to_string(i), i % 2 == 0 ? "Firefox" : "Chrome",
        i % 60);
  store(events);
  expect_agents(10'000);
  const auto found = agents_of(links.back());
  ASSERT_EQ(found.size(), 15u);
  for (int i = 699; i < 10'500; i += 700)
    EXPECT_EQ(found.count("agent " + std::to_string(i)), 1u);
  EXPECT_EQ(browsers_of(links.back())["Chrome"], 15);
  expect_verified();
}

TEST_P(user_agents_test, clicks_that_come_twice_in_a_batch_are_stored_once) {
  std::vector<link> links;
  for (int i = 0; i < 3; ++i)
    links.push_back(store_link("agents-" + std::to_string(i)));
  std::vector<click> twice;
  for (const auto& x : links)
    for (int i = 0; i < 12; ++i) {
      const auto y = new_click(x, 0, moment(12, i), i);
      events.add(y);
      if (i == 3 || i == 9)
        twice.push_back(y);
    }
  for (const auto& x : twice)
    events.add(x);
  const auto stored = store(events);
  EXPECT_EQ(stored.clicks, 36);
  EXPECT_EQ(stored.replayed, 6);
  for (const auto& x : links) {
    EXPECT_EQ(summary(x).total_clicks, 12);
    expect_sums_agree(x);
  }
  expect_verified();
}

TEST_P(user_agents_test, lost_ones_are_unknown) {
  if (!has_runs())
    return;
  auto x = store_link("agents-1");
  add(x, "agent of Firefox", "Firefox", 0);
  add(x, "agent of Chrome", "Chrome", 1);
  store(events);
  raw->execute("DELETE FROM run_agents WHERE browser_value = 'Firefox'");
  const auto expect_all = [&] {
    EXPECT_EQ(agents_of(x)[""], 1);
    EXPECT_EQ(browsers_of(x)["Chrome"], 1);
    EXPECT_EQ(browsers_of(x)["unknown"], 1);
    expect_sums_agree(x);
    expect_verified();
  };
  expect_all();
  store_click(store_link("agents-2"), 0, moment(12, 0, 2));
  EXPECT_EQ(raw->number("SELECT count(*) FROM recent_clicks"), 0);
  expect_all();
}

TEST_P(user_agents_test, they_go_with_their_clicks) {
  auto x = store_link("agents-1");
  add(x, "agent of the first day", "Firefox");
  store(events);
  if (has_runs())
    // As if this run were full.
    raw->execute("UPDATE click_runs SET clicks = 250000");
  add(x, "agent of the second day", "Firefox", 0, 1);
  store(events);
  expect_agents(2);
  const auto purged = db->purge_clicks(first_day() + 1);
  ASSERT_TRUE(purged) << detail(purged.error());
  EXPECT_EQ(*purged, 1);
  EXPECT_EQ(agents_of(x).size(), 1u);
  expect_verified();
  ASSERT_TRUE(db->purge_clicks(first_day() + 2));
  expect_agents(0);
  expect_verified();
}

} // namespace turnout::test
