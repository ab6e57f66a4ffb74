#include "plugins/postgresql/stall_watch.hpp"

#include "plugins/postgresql/server_connection.hpp"
#include "tests/postgresql/postgresql.hpp"

#include <gmock/gmock.h>

namespace turnout::test {

using namespace std::chrono_literals;
using postgresql::stall_watch;

namespace {

class stall_watch_test : public testing::Test {
protected:
  stall_watch_test() {
    watch.add(db.get(), 1s);
  }

  ~stall_watch_test() override {
    watch.remove(db.get());
  }

  postgresql_database store;
  std::unique_ptr<plugins::connection> db = postgresql::connect(store.dsn());
  stall_watch watch{50ms};
};

} // namespace

TEST_F(stall_watch_test, ends_a_connection_that_owes_an_answer_for_too_long) {
  EXPECT_THROW(db->run_once("SELECT pg_sleep(600)"), std::exception);
}

TEST_F(stall_watch_test, leaves_alone_what_is_answered_in_time) {
  for (auto i = 0; i < 4; ++i)
    db->run_once("SELECT pg_sleep(0.4)");
}

TEST_F(stall_watch_test, leaves_alone_what_may_take_its_time) {
  watch.expect(db.get(), stall_watch::duration::max());
  db->run_once("SELECT pg_sleep(2)");
}

} // namespace turnout::test
