#include "tests/storage/contract/fixture.hpp"

#include <algorithm>

namespace turnout::test {

namespace {

class web_sessions_test : public store_test {
protected:
  void SetUp() override {
    x_owner.id = make_uuid(moment());
    x_owner.email = "ann@example.org";
    x_owner.created_at = moment();
    ASSERT_FALSE(db->add_account(x_owner));
  }

  web_session new_session(const std::string& hash, const uuid& family = {},
                          timestamp at = moment()) {
    web_session x;
    x.hash = hash;
    x.family = family;
    x.account_id = x_owner.id;
    x.email = "ann@example.org";
    x.created_at = at;
    x.expires_at = at + std::chrono::hours{2};
    return x;
  }

  /// Adds the refresh token that begins a family.
  uuid add_family(const std::string& token) {
    refresh_token x;
    x.hash = token;
    x.family = make_uuid(moment());
    x.account_id = x_owner.id;
    x.created_at = moment();
    x.expires_at = moment(23);
    EXPECT_FALSE(db->add_refresh_token(x));
    return x.family;
  }

  rotation rotate(const std::string& from, const std::string& to) {
    auto result = db->rotate_refresh_token(from, to, moment(), moment(23));
    EXPECT_TRUE(result) << detail(result.error());
    return result ? *result : rotation{};
  }

  std::vector<std::string> hashes(timestamp at = moment()) {
    std::vector<std::string> result;
    auto all = db->list_web_sessions(at);
    EXPECT_TRUE(all) << detail(all.error());
    for (const auto& x : *all)
      result.push_back(x.hash);
    std::sort(result.begin(), result.end());
    return result;
  }

  size_t changes() {
    auto result = db->changes_since(0);
    EXPECT_TRUE(result);
    return result->size();
  }

  using texts = std::vector<std::string>;

private:
  account x_owner;
};

} // namespace

TURNOUT_CONTRACT_SUITE(web_sessions_test);

TEST_P(web_sessions_test, are_found_as_they_were_added) {
  const auto family = add_family("token");
  const auto added = new_session("one", family);
  ASSERT_FALSE(db->add_web_session(added));
  auto found = db->find_web_session("one", moment());
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->hash, "one");
  EXPECT_EQ((*found)->family, family);
  EXPECT_EQ((*found)->account_id, added.account_id);
  EXPECT_EQ((*found)->email, "ann@example.org");
  EXPECT_EQ((*found)->created_at, added.created_at);
  EXPECT_EQ((*found)->expires_at, added.expires_at);
  found = db->find_web_session("two", moment());
  EXPECT_TRUE(found && !*found);
  EXPECT_EQ(hashes(), texts{"one"});
  // As another process has it.
  auto other = open();
  found = other->find_web_session("one", moment());
  EXPECT_TRUE(found && *found);
}

TEST_P(web_sessions_test, expire) {
  ASSERT_FALSE(db->add_web_session(new_session("one")));
  EXPECT_EQ(hashes(moment(13, 59)), texts{"one"});
  EXPECT_EQ(hashes(moment(14, 0)), texts{});
  auto found = db->find_web_session("one", moment(14, 0));
  EXPECT_TRUE(found && !*found);
  // And are forgotten.
  ASSERT_FALSE(db->add_web_session(new_session("two", {}, moment(14, 0))));
  EXPECT_EQ(hashes(), texts{"two"});
}

TEST_P(web_sessions_test, end_with_all_of_their_sign_in) {
  const auto family = add_family("token");
  add_family("other token");
  ASSERT_FALSE(db->add_web_session(new_session("one", family)));
  ASSERT_FALSE(db->add_web_session(new_session("two", family)));
  ASSERT_FALSE(db->add_web_session(new_session("other")));
  ASSERT_FALSE(db->add_web_session(new_session("another")));
  const auto before = changes();
  ASSERT_FALSE(db->end_web_session("one"));
  EXPECT_EQ(hashes(), (texts{"another", "other"}));
  EXPECT_EQ(changes(), before + 1) << "other nodes are told";
  EXPECT_EQ(rotate("token", "next").what, rotation::outcome::unknown);
  EXPECT_EQ(rotate("other token", "next").what, rotation::outcome::rotated);
  ASSERT_FALSE(db->end_web_session("other"));
  EXPECT_EQ(hashes(), texts{"another"}) << "those without a family stand alone";
  ASSERT_FALSE(db->end_web_session("one"));
  EXPECT_EQ(changes(), before + 2) << "nothing was to be ended";
}

TEST_P(web_sessions_test, end_when_a_refresh_token_comes_again) {
  const auto family = add_family("token");
  ASSERT_FALSE(db->add_web_session(new_session("one", family)));
  ASSERT_FALSE(db->add_web_session(new_session("other")));
  const auto rotated = rotate("token", "next");
  EXPECT_EQ(rotated.what, rotation::outcome::rotated);
  EXPECT_EQ(rotated.family, family);
  const auto before = changes();
  EXPECT_EQ(rotate("token", "stolen").what, rotation::outcome::reused);
  EXPECT_EQ(hashes(), texts{"other"});
  EXPECT_EQ(changes(), before + 1);
}

} // namespace turnout::test
