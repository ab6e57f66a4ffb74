#include "tests/storage/contract/fixture.hpp"

namespace turnout::test {

using testing::ElementsAre;

namespace {

class accounts_test : public store_test {
protected:
  account new_account(const std::string& email, timestamp at = moment()) {
    account x;
    x.id = make_uuid(at);
    x.email = email;
    x.password_hash = "$argon2id$x";
    x.created_at = at;
    return x;
  }

  api_key new_key(const std::string& hash, timestamp at = moment()) {
    api_key x;
    x.id = make_uuid(at);
    x.account_id = owner;
    x.type = key_type::publishable;
    x.name = "It's \"a\" key; ключ";
    x.prefix = "svc_pk_abcd";
    x.hash = hash;
    x.created_at = at;
    return x;
  }

  std::vector<uuid> key_ids() {
    std::vector<uuid> result;
    auto keys = db->list_keys();
    if (keys)
      for (const auto& x : *keys)
        result.emplace_back(x.id);
    return result;
  }
};

} // namespace

TURNOUT_CONTRACT_SUITE(accounts_test);

TEST_P(accounts_test, keeps_every_field_of_an_account) {
  auto x = new_account("Ann@Example.org");
  x.rate_limit = 0;
  x.api_access = false;
  ASSERT_FALSE(db->add_account(x));
  auto found = db->find_account("ann@example.ORG");
  ASSERT_TRUE(found && *found);
  const auto& y = **found;
  EXPECT_EQ(y.id, x.id);
  EXPECT_EQ(y.email, "Ann@Example.org");
  EXPECT_EQ(y.password_hash, x.password_hash);
  EXPECT_EQ(y.api_access, false);
  EXPECT_EQ(y.rate_limit, 0);
  EXPECT_EQ(y.created_at, x.created_at);
  auto nobody = db->find_account("bob@example.org");
  ASSERT_TRUE(nobody);
  EXPECT_FALSE(*nobody);
}

TEST_P(accounts_test, refuses_a_taken_address_or_id) {
  auto x = new_account("ann@example.org");
  ASSERT_FALSE(db->add_account(x));
  EXPECT_EQ(code_of(db->add_account(new_account("ANN@example.org"))),
            ec::conflict);
  auto same_id = new_account("bob@example.org");
  same_id.id = x.id;
  EXPECT_EQ(code_of(db->add_account(same_id)), ec::conflict);
}

TEST_P(accounts_test, takes_any_number_of_accounts_without_an_address) {
  ASSERT_FALSE(db->add_account(new_account("")));
  ASSERT_FALSE(db->add_account(new_account("")));
  auto found = db->find_account("");
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST_P(accounts_test, lists_accounts_oldest_first) {
  auto newer = new_account("b@example.org", moment(2));
  auto older = new_account("c@example.org", moment(1));
  ASSERT_FALSE(db->add_account(newer));
  ASSERT_FALSE(db->add_account(older));
  auto all = db->list_accounts();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].id, older.id);
  EXPECT_EQ((*all)[1].id, newer.id);
  EXPECT_EQ((*all)[1].rate_limit, std::nullopt);
}

TEST_P(accounts_test, updates_what_may_change) {
  auto x = new_account("ann@example.org");
  ASSERT_FALSE(db->add_account(x));
  x.api_access = false;
  x.rate_limit = 5;
  x.password_hash = "other";
  ASSERT_FALSE(db->update_account(x));
  auto found = db->find_account(x.email);
  ASSERT_TRUE(found && *found);
  EXPECT_FALSE((*found)->api_access);
  EXPECT_EQ((*found)->rate_limit, 5);
  EXPECT_EQ((*found)->password_hash, "other");
  x.rate_limit = std::nullopt;
  ASSERT_FALSE(db->update_account(x));
  found = db->find_account(x.email);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->rate_limit, std::nullopt);
  EXPECT_EQ(code_of(db->update_account(new_account("bob@example.org"))),
            ec::not_found);
}

TEST_P(accounts_test, keeps_every_field_of_a_key) {
  auto x = new_key("hash-1");
  ASSERT_FALSE(db->add_key(x));
  auto keys = db->list_keys();
  ASSERT_TRUE(keys);
  ASSERT_EQ(keys->size(), 1u);
  const auto& y = keys->front();
  EXPECT_EQ(y.id, x.id);
  EXPECT_EQ(y.account_id, owner);
  EXPECT_EQ(y.type, key_type::publishable);
  EXPECT_EQ(y.name, x.name);
  EXPECT_EQ(y.prefix, x.prefix);
  EXPECT_EQ(y.hash, x.hash);
  EXPECT_EQ(y.created_at, x.created_at);
  EXPECT_EQ(y.last_used_at, std::nullopt);
  EXPECT_TRUE(y.is_active);
}

TEST_P(accounts_test, refuses_the_same_key_again_even_when_revoked) {
  auto x = new_key("hash-1");
  ASSERT_FALSE(db->add_key(x));
  EXPECT_EQ(code_of(db->add_key(new_key("hash-1"))), ec::conflict);
  ASSERT_FALSE(db->revoke_key(owner, x.id));
  EXPECT_EQ(code_of(db->add_key(new_key("hash-1"))), ec::conflict);
}

TEST_P(accounts_test, revokes_a_key_of_its_account_once) {
  auto x = new_key("hash-1");
  auto y = new_key("hash-2", moment(13));
  ASSERT_FALSE(db->add_key(x));
  ASSERT_FALSE(db->add_key(y));
  EXPECT_EQ(code_of(db->revoke_key(make_uuid(now()), x.id)), ec::not_found);
  EXPECT_EQ(code_of(db->revoke_key(owner, make_uuid(now()))), ec::not_found);
  EXPECT_THAT(key_ids(), ElementsAre(x.id, y.id));
  EXPECT_FALSE(db->revoke_key(owner, x.id));
  EXPECT_THAT(key_ids(), ElementsAre(y.id));
  auto again = db->revoke_key(owner, x.id);
  EXPECT_EQ(code_of(again), ec::not_found);
  EXPECT_EQ(detail(again), "API key not found");
}

TEST_P(accounts_test, moves_the_last_use_forward_only) {
  auto x = new_key("hash-1");
  ASSERT_FALSE(db->add_key(x));
  ASSERT_FALSE(db->touch_keys({{x.id, moment(5)}, {make_uuid(now()), now()}}));
  ASSERT_FALSE(db->touch_keys({{x.id, moment(4)}}));
  ASSERT_FALSE(db->touch_keys({}));
  auto keys = db->list_keys();
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->front().last_used_at, moment(5));
}

TEST_P(accounts_test, lists_the_active_keys_of_one_account) {
  auto newer = new_key("hash-1", moment(2));
  auto older = new_key("hash-2", moment(1));
  auto foreign = new_key("hash-3");
  foreign.account_id = make_uuid(now());
  auto revoked = new_key("hash-4");
  for (const auto& x : {newer, older, foreign, revoked})
    ASSERT_FALSE(db->add_key(x));
  ASSERT_FALSE(db->revoke_key(owner, revoked.id));
  ASSERT_FALSE(db->touch_keys({{newer.id, moment(5)}}));
  auto keys = db->account_keys(owner);
  ASSERT_TRUE(keys);
  ASSERT_EQ(keys->size(), 2u);
  EXPECT_EQ((*keys)[0].id, older.id);
  EXPECT_EQ((*keys)[0].last_used_at, std::nullopt);
  EXPECT_EQ((*keys)[1].id, newer.id);
  EXPECT_EQ((*keys)[1].name, newer.name);
  EXPECT_EQ((*keys)[1].last_used_at, moment(5));
  auto nobody = db->account_keys(make_uuid(now()));
  ASSERT_TRUE(nobody);
  EXPECT_TRUE(nobody->empty());
}

} // namespace turnout::test
