#include "actors/root_supervisor.hpp"

#include "tests/actors/actors_fixture.hpp"

#include <caf/event_based_actor.hpp>

namespace turnout {

namespace {

struct root_supervisor_test : test::actors_fixture {
  std::atomic<int> starts = 0;
  std::atomic<int> restarts = 0;
  std::promise<std::string> gave_up;
  std::mutex mutex;
  caf::actor newest;
  caf::actor root;

  ~root_supervisor_test() override {
    caf::anon_send_exit(root, caf::exit_reason::user_shutdown);
    root = {};
    newest = {};
  }

  void start(bool restartable) {
    child_spec spec;
    spec.name = "child";
    spec.restartable = restartable;
    spec.start = [this] {
      auto child = system->spawn([](caf::event_based_actor*) -> caf::behavior {
        return {[](tick_atom) { throw std::runtime_error{"boom"}; }};
      });
      const std::lock_guard guard{mutex};
      newest = child;
      ++starts;
      return child;
    };
    root = system->spawn(
      root_supervisor, std::vector{spec},
      std::function<void()>{[this] { ++restarts; }},
      std::function<void(std::string)>{
        [this](std::string reason) { gave_up.set_value(std::move(reason)); }});
    eventually([&] { return starts == 1; });
  }

  void kill_child() {
    const std::lock_guard guard{mutex};
    caf::anon_send(newest, tick_atom::value);
  }
};

TEST_F(root_supervisor_test, starts_a_dead_child_again) {
  start(true);
  kill_child();
  eventually([&] { return starts == 2; });
  EXPECT_EQ(restarts, 1);
}

TEST_F(root_supervisor_test, gives_up_after_too_many_deaths) {
  start(true);
  for (int i = 1; i <= 5; ++i) {
    kill_child();
    eventually([&] { return starts == i + 1; });
  }
  kill_child();
  EXPECT_NE(test::await(gave_up.get_future()).find("child"), std::string::npos);
  EXPECT_EQ(starts, 6);
}

TEST_F(root_supervisor_test, gives_up_at_once_when_nothing_can_be_restarted) {
  start(false);
  kill_child();
  test::await(gave_up.get_future());
  EXPECT_EQ(starts, 1);
}

TEST_F(root_supervisor_test, wanted_end_ends_the_children_quietly) {
  start(true);
  caf::anon_send_exit(root, caf::exit_reason::user_shutdown);
  const std::lock_guard guard{mutex};
  caf::scoped_actor self{*system};
  self->wait_for(newest);
  EXPECT_EQ(starts, 1);
}

} // namespace

} // namespace turnout
