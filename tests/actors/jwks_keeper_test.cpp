#include "actors/jwks_keeper.hpp"

#include "tests/actors/actors_fixture.hpp"
#include "tests/identity/signer.hpp"

namespace turnout {

namespace {

using namespace turnout::test;

struct jwks_keeper_test : actors_fixture {
  signer known = signer::ec("ec-1");
  identity::session_verifier verifier{{}, identity::key_set::not_fetched()};
  std::mutex mutex;
  std::string published = jwks({&known});
  std::atomic<int> fetches = 0;
  std::atomic<bool> broken = false;
  jwks_tools tools;
  jwks_keeper_actor keeper;
  uuid subject = make_uuid(now());

  jwks_keeper_test() {
    tools.fetch = [this]() -> caf::expected<std::string> {
      ++fetches;
      if (broken)
        return make_error(ec::unavailable, "no route");
      const std::lock_guard guard{mutex};
      return published;
    };
    tools.open = [](const identity::session_claims& claims) {
      session result;
      result.who.account_id = claims.subject;
      return result;
    };
    tools.verifier = &verifier;
    tools.counters = &counters;
    tools.min_interval = std::chrono::milliseconds{50};
  }

  ~jwks_keeper_test() override {
    if (keeper)
      caf::anon_send_exit(keeper, caf::exit_reason::user_shutdown);
  }

  void start() {
    keeper = system->spawn<caf::detached>(jwks_keeper, tools);
  }

  void publish(const std::vector<const signer*>& keys) {
    const std::lock_guard guard{mutex};
    published = jwks(keys);
  }

  std::string token(const signer& x) const {
    const auto end = to_micros(now()) / 1'000'000 + 600;
    return x.sign({{"sub", json::value_from(subject.str())}, {"exp", end}});
  }

  std::future<caf::expected<session>> ask(const signer& x) {
    auto reply = std::make_shared<probe_reply<session>>();
    auto result = reply->result();
    caf::anon_send(keeper, std::make_shared<session_call>(
                             session_call{token(x), std::move(reply)}));
    return result;
  }
};

TEST_F(jwks_keeper_test, fetches_at_the_start_and_on_demand) {
  start();
  auto answer = await(ask(known));
  ASSERT_TRUE(answer) << detail(answer.error());
  EXPECT_EQ(answer->who.account_id, subject);
  const auto next = signer::rsa("rsa-1");
  publish({&known, &next});
  EXPECT_TRUE(await(ask(next)));
  EXPECT_EQ(verifier.check(token(next), now()).what,
            identity::token_verdict::kind::valid);
}

TEST_F(jwks_keeper_test, many_wait_for_one_fetch) {
  tools.min_interval = std::chrono::milliseconds{500};
  start();
  await(ask(known));
  const auto before = fetches.load();
  const auto next = signer::ec("ec-2");
  publish({&next});
  std::vector<std::future<caf::expected<session>>> answers;
  for (int i = 0; i < 20; ++i)
    answers.push_back(ask(next));
  for (auto& x : answers)
    EXPECT_TRUE(await(std::move(x)));
  EXPECT_EQ(fetches - before, 1);
}

TEST_F(jwks_keeper_test, unknown_keys_are_refused_after_a_fetch) {
  start();
  const auto answer = await(ask(signer::ec("ec-9")));
  ASSERT_FALSE(answer);
  EXPECT_EQ(code_of(answer.error()), ec::no_session);
}

TEST_F(jwks_keeper_test, known_keys_stay_when_a_fetch_fails) {
  start();
  ASSERT_TRUE(await(ask(known)));
  broken = true;
  const auto answer = await(ask(signer::ec("ec-9")));
  ASSERT_FALSE(answer);
  EXPECT_EQ(code_of(answer.error()), ec::unavailable);
  EXPECT_TRUE(await(ask(known)));
  broken = false;
  {
    const std::lock_guard guard{mutex};
    published = "{\"keys\":[]}";
  }
  EXPECT_EQ(code_of(await(ask(signer::ec("ec-9"))).error()), ec::unavailable);
  EXPECT_TRUE(await(ask(known)));
}

TEST_F(jwks_keeper_test, those_who_wait_are_bounded) {
  tools.max_waiting = 2;
  tools.min_interval = std::chrono::milliseconds{300};
  start();
  await(ask(known));
  const auto stranger = signer::ec("ec-9");
  std::vector<std::future<caf::expected<session>>> answers;
  for (int i = 0; i < 5; ++i)
    answers.push_back(ask(stranger));
  int refused = 0;
  for (auto& x : answers)
    refused += code_of(await(std::move(x)).error()) == ec::unavailable;
  EXPECT_EQ(refused, 3);
}

} // namespace

} // namespace turnout
