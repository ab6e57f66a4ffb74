#include "tests/storage/contract/fixture.hpp"

namespace turnout::test {

namespace {

using outcome = rotation::outcome;

class refresh_tokens_test : public store_test {
protected:
  void SetUp() override {
    x_owner.id = make_uuid(moment());
    x_owner.email = "ann@example.org";
    x_owner.api_access = false;
    x_owner.created_at = moment();
    ASSERT_FALSE(db->add_account(x_owner));
  }

  refresh_token new_token(const std::string& hash, timestamp at = moment()) {
    refresh_token x;
    x.hash = hash;
    x.family = make_uuid(at);
    x.account_id = x_owner.id;
    x.created_at = at;
    x.expires_at = at + std::chrono::hours{2};
    return x;
  }

  outcome rotate(const std::string& from, const std::string& to,
                 timestamp at = moment()) {
    auto result
      = db->rotate_refresh_token(from, to, at, at + std::chrono::hours{2});
    EXPECT_TRUE(result) << detail(result.error());
    if (result && result->what == outcome::rotated) {
      EXPECT_EQ(result->owner.id, x_owner.id);
      EXPECT_EQ(result->owner.email, "ann@example.org");
      EXPECT_FALSE(result->owner.api_access);
    }
    return result ? result->what : outcome::unknown;
  }

private:
  account x_owner;
};

} // namespace

TURNOUT_CONTRACT_SUITE(refresh_tokens_test);

TEST_P(refresh_tokens_test, are_replaced_by_the_next) {
  ASSERT_FALSE(db->add_refresh_token(new_token("one")));
  EXPECT_EQ(rotate("one", "two"), outcome::rotated);
  EXPECT_EQ(rotate("two", "three"), outcome::rotated);
  EXPECT_EQ(rotate("never", "four"), outcome::unknown);
  EXPECT_EQ(rotate("four", "five"), outcome::unknown)
    << "what failed stores nothing";
}

TEST_P(refresh_tokens_test, take_their_family_along_when_used_twice) {
  ASSERT_FALSE(db->add_refresh_token(new_token("one")));
  ASSERT_FALSE(db->add_refresh_token(new_token("other", moment(12, 1))));
  EXPECT_EQ(rotate("one", "two"), outcome::rotated);
  EXPECT_EQ(rotate("one", "stolen"), outcome::reused);
  EXPECT_EQ(rotate("two", "three"), outcome::unknown);
  EXPECT_EQ(rotate("stolen", "more"), outcome::unknown);
  EXPECT_EQ(rotate("other", "next"), outcome::rotated)
    << "other sign-ins go on";
}

TEST_P(refresh_tokens_test, expire) {
  ASSERT_FALSE(db->add_refresh_token(new_token("one")));
  EXPECT_EQ(rotate("one", "two", moment(14, 0)), outcome::unknown);
  EXPECT_EQ(rotate("one", "two", moment(13, 59)), outcome::rotated);
  // The next one lives from its own beginning.
  EXPECT_EQ(rotate("two", "three", moment(15, 58)), outcome::rotated);
}

TEST_P(refresh_tokens_test, work_for_one_of_two_at_once) {
  ASSERT_FALSE(db->add_refresh_token(new_token("one")));
  auto other = open();
  auto first = db->rotate_refresh_token("one", "two", moment(), moment(14));
  auto second = other->rotate_refresh_token("one", "2", moment(), moment(14));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->what, outcome::rotated);
  EXPECT_EQ(second->what, outcome::reused);
}

} // namespace turnout::test
