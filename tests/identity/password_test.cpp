#include "identity/password.hpp"

#include <gtest/gtest.h>

#include <set>

using namespace turnout::identity;

TEST(password, verifies_what_was_hashed) {
  auto hash = hash_password("correct horse");
  EXPECT_TRUE(verify_password(hash, "correct horse"));
  EXPECT_FALSE(verify_password(hash, "correct horsf"));
  EXPECT_FALSE(verify_password(hash, "Correct horse"));
  EXPECT_FALSE(verify_password(hash, "correct horse "));
  EXPECT_FALSE(verify_password(hash, ""));
}

TEST(password, uses_argon2id_and_a_fresh_salt) {
  auto a = hash_password("x");
  auto b = hash_password("x");
  EXPECT_EQ(a.rfind("$argon2id$v=19$m=65536,t=2,p=1$", 0), 0u) << a;
  EXPECT_NE(a, b);
  EXPECT_TRUE(verify_password(a, "x"));
  EXPECT_TRUE(verify_password(b, "x"));
}

TEST(password, takes_any_bytes) {
  std::string_view nul{"a\0b", 3};
  auto hash = hash_password(nul);
  EXPECT_TRUE(verify_password(hash, nul));
  EXPECT_FALSE(verify_password(hash, "a"));
  auto umlaut = hash_password("\xC3\xA4\xFF");
  EXPECT_TRUE(verify_password(umlaut, "\xC3\xA4\xFF"));
  auto empty = hash_password("");
  EXPECT_TRUE(verify_password(empty, ""));
  EXPECT_FALSE(verify_password(empty, " "));
}

TEST(password, refuses_what_is_no_hash) {
  auto hash = hash_password("x");
  EXPECT_FALSE(verify_password("", ""));
  EXPECT_FALSE(verify_password("x", "x"));
  EXPECT_FALSE(verify_password(hash.substr(0, hash.size() - 1), "x"));
  EXPECT_FALSE(verify_password(hash + '\0', "x"));
  EXPECT_FALSE(verify_password(hash + std::string(200, 'A'), "x"));
}

TEST(password, makes_random_passwords) {
  std::set<std::string> seen;
  std::set<char> letters;
  for (int i = 0; i < 200; ++i) {
    auto x = make_password();
    EXPECT_EQ(x.size(), 24u);
    EXPECT_EQ(x.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789"),
              std::string::npos);
    letters.insert(x.begin(), x.end());
    EXPECT_TRUE(seen.insert(x).second);
  }
  EXPECT_EQ(letters.size(), 62u);
}
