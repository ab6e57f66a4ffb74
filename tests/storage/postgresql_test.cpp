// What is peculiar to the PostgreSQL plugin: its server, and what goes wrong
// with it.

#include "tests/postgresql/postgresql.hpp"

#include "tests/storage/plugin_store.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <set>
#include <thread>

namespace turnout::test {

using namespace turnout::storage;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {

backend_ptr open(const std::string& dsn) {
  return open_backend("postgresql", {"", dsn});
}

/// Clicks of new visitors on a link.
event_batch new_clicks(const link& x, int64_t first, int64_t count,
                       timestamp at = now()) {
  event_batch batch;
  batch.node = uuid{1, 2};
  for (auto i = first; i < first + count; ++i) {
    click y;
    y.created_at = at;
    y.id = make_uuid(at);
    y.link_key = x.key;
    y.variant_key = x.variants[0].key;
    y.visitor = i;
    batch.clicks.emplace_back(y);
    batch.classes.emplace_back();
    batch.click_places.push_back({0, i});
  }
  batch.ranges.push_back({0, first + count - 1});
  return batch;
}

/// Texts that clients may see must not tell where or how things are stored.
auto is_discreet() {
  return AllOf(Not(HasSubstr("127.0.0.1")), Not(HasSubstr("SELECT")),
               Not(HasSubstr("INSERT")), Not(HasSubstr("test_")));
}

class postgresql_test : public testing::Test {
protected:
  void SetUp() override {
    db = open(store.dsn());
    ASSERT_FALSE(db->migrate());
  }

  link store_link(const std::string& slug) {
    auto made = db->create_link(new_link(slug), std::nullopt);
    if (!made)
      throw std::runtime_error{detail(made.error())};
    return made->created;
  }

  int64_t total_of(const link& x) {
    auto page = db->clicks(x.user_id, x.id, {}, 1, 1);
    return page ? page->total : -1;
  }

  void end_all_connections() {
    store.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                  " WHERE datname = current_database()"
                  " AND pid <> pg_backend_pid()");
  }

  void expect_verified() {
    auto lines = db->verify(false);
    ASSERT_TRUE(lines) << detail(lines.error());
    EXPECT_THAT(*lines, testing::IsEmpty());
  }

  postgresql_database store;
  backend_ptr db;
};

} // namespace

// -- connecting ---------------------------------------------------------------

TEST(postgresql, says_when_no_database_is_named) {
  auto err = open("")->ping();
  EXPECT_EQ(code_of(err), ec::unavailable);
  EXPECT_THAT(detail(err), HasSubstr("storage.dsn"));
}

TEST(postgresql, says_when_the_connection_string_is_none) {
  auto err = open("host='unended")->ping();
  EXPECT_EQ(code_of(err), ec::unavailable);
}

TEST(postgresql, says_when_nobody_answers) {
  auto err = open("host=127.0.0.1 port=1 dbname=x user=x")->ping();
  EXPECT_EQ(code_of(err), ec::unavailable);
  EXPECT_THAT(detail(err),
              AllOf(HasSubstr("cannot be reached"), is_discreet()));
}

TEST_F(postgresql_test, says_when_the_database_does_not_exist) {
  auto other = open(store.dsn() + " dbname=no_such_database");
  auto err = other->ping();
  EXPECT_EQ(code_of(err), ec::unavailable);
  EXPECT_THAT(detail(err), HasSubstr("createdb"));
}

TEST_F(postgresql_test, takes_a_uri) {
  const auto port
    = store.text("SELECT setting FROM pg_settings WHERE name = 'port'");
  const auto name = store.text("SELECT current_database()");
  auto other = open("postgresql://turnout@127.0.0.1:" + port + "/" + name
                    + "?connect_timeout=3");
  EXPECT_FALSE(other->ping());
}

TEST_F(postgresql_test, says_when_the_tables_are_missing) {
  postgresql_database empty;
  auto other = open(empty.dsn());
  auto version = other->schema_version();
  ASSERT_TRUE(version);
  EXPECT_EQ(*version, 0);
  auto result = other->load_link("any");
  ASSERT_FALSE(result);
  EXPECT_THAT(detail(result.error()), HasSubstr("turnout migrate"));
}

TEST_F(postgresql_test, refuses_a_replica) {
  store.execute("ALTER DATABASE " + store.text("SELECT current_database()")
                + " SET default_transaction_read_only = on");
  auto err = open(store.dsn())->ping();
  EXPECT_EQ(code_of(err), ec::unavailable);
  EXPECT_THAT(detail(err), HasSubstr("replica"));
}

// -- lost connections ---------------------------------------------------------

TEST_F(postgresql_test, goes_on_when_its_connection_is_ended) {
  auto x = store_link("ended-1");
  end_all_connections();
  EXPECT_TRUE(db->load_link("ended-1"));
  end_all_connections();
  auto stored = db->store_events(new_clicks(x, 1, 10));
  ASSERT_TRUE(stored) << detail(stored.error());
  EXPECT_EQ(stored->clicks, 10);
  end_all_connections();
  EXPECT_TRUE(db->create_link(new_link("ended-2"), std::nullopt));
  EXPECT_EQ(total_of(x), 10);
}

TEST_F(postgresql_test, stores_each_batch_once_while_connections_are_ended) {
  auto x = store_link("ended-3");
  std::atomic<bool> done = false;
  std::thread killer{[&] {
    while (!done) {
      end_all_connections();
      std::this_thread::sleep_for(25ms);
    }
  }};
  for (int64_t first = 1; first <= 1000; first += 20) {
    const auto batch = new_clicks(x, first, 20);
    // As the drain does: again, until it is known to be stored.
    for (auto stored = db->store_events(batch); !stored;
         stored = db->store_events(batch))
      EXPECT_EQ(code_of(stored.error()), ec::unavailable);
  }
  done = true;
  killer.join();
  EXPECT_EQ(total_of(x), 1000);
  expect_verified();
}

// -- changes ------------------------------------------------------------------

TEST_F(postgresql_test, a_change_wakes_up_who_waits) {
  auto waiting = open(store.dsn());
  // Begins to listen.
  waiting->wait_for_change(0ms);
  EXPECT_FALSE(waiting->wait_for_change(1ms));
  store_link("wake-1");
  EXPECT_TRUE(waiting->wait_for_change(60s));
  end_all_connections();
  // Nobody knows what was missed. The first one may find the farewell only.
  EXPECT_TRUE(waiting->wait_for_change(60s) || waiting->wait_for_change(60s));
}

TEST_F(postgresql_test, a_change_that_was_told_with_an_answer_wakes_up_too) {
  auto waiting = open(store.dsn());
  waiting->wait_for_change(0ms);
  store_link("wake-2");
  EXPECT_TRUE(waiting->load_link("wake-2"));
  EXPECT_TRUE(waiting->wait_for_change(60s));
}

TEST_F(postgresql_test, a_reader_misses_no_change_while_many_write) {
  constexpr auto writers = 6;
  constexpr auto links = 60;
  auto reader = open(store.dsn());
  std::vector<std::thread> threads;
  std::atomic<int> running = writers;
  for (auto i = 0; i < writers; ++i)
    threads.emplace_back([&, i] {
      auto mine = open(store.dsn());
      for (auto j = 0; j < links; ++j) {
        auto made = mine->create_link(
          new_link("w" + std::to_string(i) + "-" + std::to_string(j)),
          std::nullopt);
        EXPECT_TRUE(made) << detail(made.error());
      }
      --running;
    });
  std::set<uuid> seen;
  int64_t last = 0;
  for (auto ended = false; !ended;) {
    ended = running == 0;
    auto changes = reader->changes_since(last);
    ASSERT_TRUE(changes);
    for (const auto& x : *changes) {
      EXPECT_GT(x.seq, last);
      last = x.seq;
      seen.insert(x.id);
    }
  }
  for (auto& x : threads)
    x.join();
  EXPECT_EQ(seen.size(), static_cast<size_t>(writers * links));
}

// -- partitions ---------------------------------------------------------------

TEST_F(postgresql_test, partitions_are_made_ahead) {
  auto x = store_link("ahead-1");
  ASSERT_TRUE(db->store_events(new_clicks(x, 1, 1)));
  const auto bound = [&](day_number day) {
    return std::to_string(start_of(day).time_since_epoch() / 1ms << 16);
  };
  // Nobody has to make one in the coming week.
  for (auto days : {0, 7}) {
    const auto day = day_of(now()) + days;
    store.execute("INSERT INTO clicks SELECT link_key, " + bound(day)
                  + ", 1, variant_key, 1, 0, 0, 0, 0, '', '', '', '', '', '',"
                    " '', '', '' FROM variants LIMIT 1");
  }
}

TEST_F(postgresql_test, old_partitions_are_dropped_and_no_sum_changes) {
  auto x = store_link("drop-1");
  const auto today = day_of(now());
  int64_t place = 1;
  for (auto days_ago : {60, 40, 20, 3, 0}) {
    auto stored = db->store_events(
      new_clicks(x, place, 10, start_of(today - days_ago) + 1h));
    ASSERT_TRUE(stored) << detail(stored.error());
    place += 10;
  }
  const auto partitions = [&] {
    return store.number("SELECT count(*) FROM pg_inherits"
                        " WHERE inhparent = 'clicks'::regclass");
  };
  const auto before = partitions();
  auto purged = db->purge_clicks(today - 10);
  ASSERT_TRUE(purged) << detail(purged.error());
  EXPECT_EQ(*purged, 30);
  EXPECT_LE(partitions(), before - 2);
  EXPECT_EQ(store.number("SELECT count(*) FROM clicks"), 20);
  EXPECT_EQ(total_of(x), 50);
  expect_verified();
  // A late click of that time is taken.
  ASSERT_TRUE(
    db->store_events(new_clicks(x, place, 1, start_of(today - 60) + 2h)));
  EXPECT_EQ(total_of(x), 51);
  expect_verified();
}

TEST_F(postgresql_test, several_nodes_make_partitions_at_once) {
  auto x = store_link("at-once-1");
  std::vector<std::thread> threads;
  std::atomic<int> stored = 0;
  for (auto i = 0; i < 6; ++i)
    threads.emplace_back([&, i] {
      auto mine = open(store.dsn());
      for (auto week = 0; week < 5; ++week) {
        auto batch = new_clicks(x, week + 1, 1, now() - week * 168h);
        batch.node = uuid{7, static_cast<uint64_t>(i)};
        auto result = mine->store_events(batch);
        EXPECT_TRUE(result) << detail(result.error());
        if (result)
          ++stored;
      }
    });
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(stored, 30);
  EXPECT_EQ(total_of(x), 30);
  expect_verified();
}

} // namespace turnout::test
