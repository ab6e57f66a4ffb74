// Messages between reactors, threads and actors; ends of actors; time.

#include "tests/reactor/fixture.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <gmock/gmock.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace turnout;

using payload = std::shared_ptr<int>;

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(payload)

namespace {

using add_atom = caf::atom_constant<caf::atom("add")>;
using ask_atom = caf::atom_constant<caf::atom("ask")>;
using end_atom = caf::atom_constant<caf::atom("end")>;
using fail_atom = caf::atom_constant<caf::atom("fail")>;
using mute_atom = caf::atom_constant<caf::atom("mute")>;
using hop_atom = caf::atom_constant<caf::atom("hop")>;
using next_atom = caf::atom_constant<caf::atom("next")>;

caf::behavior adder(caf::event_based_actor* self) {
  // The default also prints to stdout.
  self->set_exception_handler(
    [](std::exception_ptr&) -> caf::error { return caf::sec::runtime_error; });
  return {
    [](add_atom, int x, int y) { return x + y; },
    [](fail_atom) -> int { throw std::runtime_error{"broken handler"}; },
    [=](mute_atom) {
      // Never answered before the actor ends.
      self->make_response_promise<int>();
      return caf::delegated<int>{};
    },
    [=](end_atom) { self->quit(); },
  };
}

/// Asks `other` `n` times, one after the other, and answers the sum.
caf::behavior asker(caf::event_based_actor* self, caf::actor other) {
  return {
    [=](ask_atom, int n) {
      auto result = self->make_response_promise<int>();
      auto sum = std::make_shared<int>(0);
      auto step = std::make_shared<std::function<void(int)>>();
      *step = [=](int left) mutable {
        if (left == 0) {
          result.deliver(*sum);
          *step = nullptr;
          return;
        }
        self->request(other, caf::infinite, add_atom::value, left, 1)
          .then(
            [=](int x) {
              *sum += x;
              auto f = *step;
              f(left - 1);
            },
            [=](caf::error& err) mutable { result.deliver(std::move(err)); });
      };
      auto f = *step;
      f(n);
      return result;
    },
  };
}

int ask(caf::actor_system& sys, const caf::actor& whom, int n) {
  caf::scoped_actor self{sys};
  int result = -1;
  self->request(whom, caf::infinite, ask_atom::value, n)
    .receive([&](int x) { result = x; },
             [](caf::error& err) { ADD_FAILURE() << to_string(err); });
  return result;
}

class messaging : public testing::TestWithParam<size_t> {
protected:
  test::reactors env{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(reactors, messaging, testing::Values(1, 2, 3));

} // namespace

TEST_P(messaging, answers_requests_of_a_foreign_thread) {
  auto worker = env.system->spawn(adder);
  caf::scoped_actor self{*env.system};
  for (int i = 0; i < 1000; ++i)
    self->request(worker, caf::infinite, add_atom::value, i, 1)
      .receive([&](int x) { EXPECT_EQ(x, i + 1); },
               [](caf::error& err) { FAIL() << to_string(err); });
}

TEST_P(messaging, requests_go_between_actors) {
  auto worker = env.system->spawn(adder);
  auto client = env.system->spawn(asker, worker);
  EXPECT_EQ(ask(*env.system, client, 1000), 501'500);
}

TEST_P(messaging, requests_go_from_detached_actors_to_reactors) {
  auto worker = env.system->spawn(adder);
  auto client = env.system->spawn<caf::detached>(asker, worker);
  EXPECT_EQ(ask(*env.system, client, 200), 20'300);
}

TEST_P(messaging, requests_go_from_reactors_to_detached_actors) {
  auto worker = env.system->spawn<caf::detached>(adder);
  auto client = env.system->spawn(asker, worker);
  EXPECT_EQ(ask(*env.system, client, 200), 20'300);
}

TEST_P(messaging, crosses_reactors) {
  // An actor that is busy on one reactor gets its mail from another one's
  // thread. It must handle all of it, one by one.
  auto last = GetParam() - 1;
  int handled = 0; // no atomic: an actor runs on one thread at a time
  std::promise<void> all;
  auto worker = env.system->spawn([&](caf::event_based_actor*) {
    return caf::behavior{
      [&](hop_atom) {
        if (++handled == 20'000)
          all.set_value();
      },
    };
  });
  for (size_t index : {size_t{0}, last})
    env.pool.post(index, [worker] {
      for (int i = 0; i < 10'000; ++i)
        caf::anon_send(worker, hop_atom::value);
    });
  all.get_future().wait();
}

TEST_P(messaging, reports_the_end_of_an_actor_to_its_monitors) {
  auto worker = env.system->spawn(adder);
  std::promise<caf::error> reason;
  auto watcher = env.system->spawn([&](caf::event_based_actor* self) {
    self->monitor(worker);
    self->set_down_handler([&, self](caf::down_msg& x) {
      EXPECT_EQ(x.source, worker.address());
      reason.set_value(x.reason);
      self->quit();
    });
    return caf::behavior{
      [](ask_atom) { return 1; },
    };
  });
  caf::scoped_actor self{*env.system};
  self->request(watcher, caf::infinite, ask_atom::value)
    .receive([](int) {}, [](caf::error& err) { FAIL() << to_string(err); });
  caf::anon_send(worker, end_atom::value);
  // An actor that quits without a reason ends with the empty error.
  EXPECT_EQ(reason.get_future().get(), caf::error{});
  self->wait_for(worker, watcher);
}

TEST_P(messaging, an_exception_ends_only_the_actor_that_throws) {
  auto worker = env.system->spawn(adder);
  auto bystander = env.system->spawn(adder);
  caf::scoped_actor self{*env.system};
  self->monitor(worker);
  caf::error err;
  self->request(worker, caf::infinite, fail_atom::value)
    .receive([](int) { FAIL(); }, [&](caf::error& x) { err = x; });
  EXPECT_EQ(err, caf::sec::runtime_error);
  self->receive(
    [&](caf::down_msg& x) { EXPECT_EQ(x.reason, caf::sec::runtime_error); });
  self->request(worker, caf::infinite, add_atom::value, 1, 2)
    .receive(
      [](int) { FAIL(); },
      [&](caf::error& x) { EXPECT_EQ(x, caf::sec::request_receiver_down); });
  self->request(bystander, caf::infinite, add_atom::value, 1, 2)
    .receive([](int x) { EXPECT_EQ(x, 3); },
             [](caf::error& x) { FAIL() << to_string(x); });
}

TEST_P(messaging, delays_messages_until_they_are_due_and_orders_them) {
  std::vector<int> seen;
  std::promise<void> all;
  using clock = caf::actor_clock::clock_type;
  auto start = clock::now();
  std::vector<clock::time_point> seen_at;
  auto due = [&](int i) { return start + std::chrono::milliseconds{20 * i}; };
  auto worker = env.system->spawn([&](caf::event_based_actor*) {
    return caf::behavior{
      [&](next_atom, int x) {
        seen.push_back(x);
        seen_at.push_back(clock::now());
        if (seen.size() == 3)
          all.set_value();
      },
    };
  });
  // The last first. Only if this thread was too slow for that, their order
  // says nothing.
  for (int i = 3; i > 0; --i)
    env.system->clock().schedule_message(
      due(i), caf::actor_cast<caf::strong_actor_ptr>(worker),
      caf::make_mailbox_element(nullptr, caf::make_message_id(), {},
                                next_atom::value, i));
  auto in_time = clock::now() < due(1);
  all.get_future().wait();
  if (in_time) {
    EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
  }
  for (size_t i = 0; i < seen.size(); ++i)
    EXPECT_GE(seen_at[i], due(seen[i]));
}

TEST_P(messaging, delayed_messages_tick) {
  std::promise<void> done;
  env.system->spawn([&](caf::event_based_actor* self) {
    self->delayed_send(self, std::chrono::microseconds{100}, next_atom::value,
                       1);
    return caf::behavior{
      [&, self](next_atom, int n) {
        if (n == 50) {
          done.set_value();
          self->quit();
        } else {
          self->delayed_send(self, std::chrono::microseconds{100},
                             next_atom::value, n + 1);
        }
      },
    };
  });
  done.get_future().wait();
}

TEST_P(messaging, requests_time_out) {
  auto worker = env.system->spawn(adder);
  std::promise<caf::error> result;
  env.system->spawn([&](caf::event_based_actor* self) {
    self->request(worker, std::chrono::milliseconds{1}, mute_atom::value)
      .then([](int) { FAIL(); },
            [&](caf::error& err) { result.set_value(err); });
  });
  EXPECT_EQ(result.get_future().get(), caf::sec::request_timeout);
}

TEST_P(messaging, destroys_what_is_sent_to_a_dead_actor) {
  auto worker = env.system->spawn(adder);
  caf::scoped_actor self{*env.system};
  caf::anon_send(worker, end_atom::value);
  self->wait_for(worker);
  auto sent = std::make_shared<int>(1);
  std::weak_ptr<int> watch = sent;
  caf::anon_send(worker, std::move(sent));
  EXPECT_TRUE(watch.expired());
  // The same from a reactor's thread.
  EXPECT_TRUE(env.on(0, [&] {
    auto other = std::make_shared<int>(2);
    std::weak_ptr<int> other_watch = other;
    caf::anon_send(worker, std::move(other));
    return other_watch.expired();
  }));
}

TEST(mailbox, is_destroyed_with_its_actor_although_handles_remain) {
  test::reactors env{1};
  int handled = 0;
  auto worker = env.system->spawn([&](caf::event_based_actor* self) {
    return caf::behavior{
      [=](end_atom) { self->quit(); },
      [&](const payload&) { ++handled; },
    };
  });
  // Whoever holds a payload when the actor ends sees its end, handled or not.
  std::vector<std::weak_ptr<int>> watches;
  {
    test::gate closed{env.pool, 0};
    for (int i = 0; i < 1000; ++i) {
      if (i == 500)
        caf::anon_send(worker, end_atom::value);
      auto sent = std::make_shared<int>(i);
      watches.emplace_back(sent);
      caf::anon_send(worker, std::move(sent));
    }
  }
  caf::scoped_actor self{*env.system};
  self->wait_for(worker);
  // The actor is down before its reactor has left it.
  env.on(0, [] { return 0; });
  EXPECT_EQ(handled, 500);
  for (auto& x : watches)
    EXPECT_TRUE(x.expired());
}

TEST(load, ten_million_messages_arrive) {
  constexpr int senders = 2;
  constexpr int batches = 50;
  constexpr int tokens = 1000; // under way at once, per sender
  constexpr int hops = 100;    // messages per token
  constexpr size_t ring_size = 4;
  test::reactors env{2};

  struct credit {
    std::mutex mtx;
    std::condition_variable cv;
    int returned = 0;
  };
  std::array<credit, senders> credits;
  // Each element has one writer: the actor, or the reactor's thread.
  std::array<uint64_t, ring_size> counts{};
  std::array<uint64_t, 2> by_reactor{};

  std::vector<caf::actor> ring;
  for (size_t i = 0; i < ring_size; ++i)
    ring.emplace_back(
      env.system->spawn([&, i](caf::event_based_actor* self) -> caf::behavior {
        auto next = std::make_shared<caf::actor>();
        return {
          [=](next_atom, const caf::actor& x) { *next = x; },
          [=, &env, &counts, &by_reactor, &credits](int sender, int left) {
            ++counts[i];
            ++by_reactor[env.pool.current()];
            if (left > 1) {
              self->send(*next, sender, left - 1);
              return;
            }
            auto& x = credits[static_cast<size_t>(sender)];
            std::lock_guard guard{x.mtx};
            if (++x.returned == tokens)
              x.cv.notify_one();
          },
          [=](end_atom) {
            *next = nullptr;
            self->quit();
          },
        };
      }));
  for (size_t i = 0; i < ring_size; ++i)
    caf::anon_send(ring[i], next_atom::value, ring[(i + 1) % ring_size]);

  std::vector<std::thread> threads;
  for (int sender = 0; sender < senders; ++sender)
    threads.emplace_back([&, sender] {
      auto& x = credits[static_cast<size_t>(sender)];
      for (int batch = 0; batch < batches; ++batch) {
        for (int i = 0; i < tokens; ++i)
          caf::anon_send(ring[static_cast<size_t>(i) % ring_size], sender,
                         hops);
        std::unique_lock guard{x.mtx};
        x.cv.wait(guard, [&] { return x.returned == tokens; });
        x.returned = 0;
      }
    });
  for (auto& x : threads)
    x.join();
  for (auto& x : ring)
    caf::anon_send(x, end_atom::value);
  ring.clear();
  env.system.reset();
  uint64_t sum = 0;
  for (auto x : counts)
    sum += x;
  EXPECT_EQ(sum, 10'000'000u);
  EXPECT_EQ(by_reactor[0] + by_reactor[1], sum);
  EXPECT_GT(by_reactor[0], 0u);
  EXPECT_GT(by_reactor[1], 0u);
}
