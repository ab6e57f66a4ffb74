#include "actors/key_manager.hpp"
#include "core/identifiers.hpp"

#include <gtest/gtest.h>

namespace turnout {

namespace {

struct key_ring_test : testing::Test {
  key_ring ring{1000};
  account owner;
  api_key stored;
  std::string key = make_key(key_type::publishable);

  key_ring_test() {
    owner.id = make_uuid(now());
    stored.id = make_uuid(now());
    stored.account_id = owner.id;
    stored.type = key_type::publishable;
    stored.hash = sha256_hex(key);
  }
};

TEST_F(key_ring_test, knows_whom_a_key_speaks_for) {
  owner.api_access = false;
  ring.replace({stored}, {owner});
  const auto found = ring.find(key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->account_id, owner.id);
  EXPECT_EQ(found->key_id, stored.id);
  EXPECT_EQ(found->type, key_type::publishable);
  EXPECT_FALSE(found->api_access);
  EXPECT_EQ(found->rate_limit, 1000);
  owner.rate_limit = 5;
  ring.replace({stored}, {owner});
  EXPECT_EQ(ring.find(key)->rate_limit, 5);
}

TEST_F(key_ring_test, a_changed_default_is_for_those_without_an_own_limit) {
  ring.set_default_limit(7);
  ring.replace({stored}, {owner});
  EXPECT_EQ(ring.find(key)->rate_limit, 7);
  owner.rate_limit = 5;
  ring.replace({stored}, {owner});
  EXPECT_EQ(ring.find(key)->rate_limit, 5);
}

TEST_F(key_ring_test, refuses_what_it_does_not_know) {
  ring.replace({stored}, {owner});
  EXPECT_FALSE(ring.find(make_key(key_type::publishable)));
  EXPECT_FALSE(ring.find(""));
  EXPECT_FALSE(ring.find("svc_pk_"));
  EXPECT_FALSE(ring.find(std::string(1'000'000, 'x')));
  stored.is_active = false;
  ring.replace({stored}, {owner});
  EXPECT_FALSE(ring.find(key));
}

TEST_F(key_ring_test, key_without_an_account_is_no_key) {
  ring.replace({stored}, {});
  EXPECT_FALSE(ring.find(key));
  EXPECT_EQ(ring.size(), 0u);
}

TEST_F(key_ring_test, notes_the_use_once) {
  ring.replace({stored}, {owner});
  EXPECT_TRUE(ring.take_used().empty());
  ring.find(key);
  ring.find(key);
  const auto used = ring.take_used();
  ASSERT_EQ(used.size(), 1u);
  EXPECT_EQ(used.front().first, stored.id);
  EXPECT_TRUE(ring.take_used().empty());
  // Still known for the list of keys.
  EXPECT_EQ(ring.last_use(stored.id), used.front().second);
  EXPECT_EQ(ring.last_use(owner.id), std::nullopt);
  // With the key goes what is known of it.
  ring.replace({}, {owner});
  EXPECT_EQ(ring.last_use(stored.id), std::nullopt);
}

TEST_F(key_ring_test, adds_and_removes_one) {
  ring.replace({stored}, {});
  principal who;
  who.account_id = owner.id;
  who.key_id = make_uuid(now());
  who.type = key_type::secret;
  who.rate_limit = 7;
  const auto other = make_key(key_type::secret);
  ring.add(sha256_hex(other), who);
  ASSERT_TRUE(ring.find(other));
  EXPECT_EQ(ring.find(other)->key_id, who.key_id);
  // Its account is known from now on, but is no key.
  const auto known = ring.find_account(owner.id);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->rate_limit, 7);
  EXPECT_FALSE(known->key_id);
  ring.remove(who.key_id);
  EXPECT_FALSE(ring.find(other));
  EXPECT_TRUE(ring.find_account(owner.id));
}

TEST_F(key_ring_test, knows_whom_a_session_speaks_for) {
  const std::string text(64, 'a');
  storage::web_session x;
  x.hash = sha256_hex(text);
  x.family = make_uuid(now());
  x.account_id = owner.id;
  x.email = "ann@example.org";
  x.created_at = now();
  x.expires_at = x.created_at + std::chrono::hours{1};
  owner.rate_limit = 5;
  owner.api_access = false;
  ring.replace({}, {owner}, {x});
  const auto found = ring.find_session(text, now());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->who.account_id, owner.id);
  EXPECT_EQ(found->who.type, key_type::secret);
  EXPECT_EQ(found->who.rate_limit, 5);
  EXPECT_FALSE(found->who.api_access);
  EXPECT_EQ(found->email, "ann@example.org");
  EXPECT_FALSE(ring.find_session(text, x.expires_at));
  EXPECT_FALSE(ring.find_session(x.hash, now())) << "what the store knows";
  EXPECT_FALSE(ring.find(text)) << "it is no API key";
  EXPECT_EQ(ring.size(), 0u);
  ring.replace({}, {owner}, {});
  EXPECT_FALSE(ring.find_session(text, now()));
}

TEST_F(key_ring_test, adds_and_removes_a_session_with_its_family) {
  const auto family = make_uuid(now());
  auto add = [&](const std::string& text, const uuid& from) {
    storage::web_session x;
    x.hash = sha256_hex(text);
    x.family = from;
    x.account_id = owner.id;
    x.created_at = now();
    x.expires_at = x.created_at + std::chrono::hours{1};
    principal who;
    who.account_id = owner.id;
    ring.add(x, who);
  };
  add("one", family);
  add("two", family);
  add("other", {});
  add("another", {});
  EXPECT_TRUE(ring.find_session("one", now()));
  ring.remove_session(sha256_hex("one"));
  EXPECT_FALSE(ring.find_session("one", now()));
  EXPECT_FALSE(ring.find_session("two", now()));
  ring.remove_session(sha256_hex("other"));
  EXPECT_FALSE(ring.find_session("other", now()));
  EXPECT_TRUE(ring.find_session("another", now()));
  ring.remove_session("unknown");
}

} // namespace

} // namespace turnout
